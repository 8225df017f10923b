// The way between daemons and the service, with faults of single requests and of times; and what daemons wrote to it.
import type { Random } from '../../../src/model/ports/clock.ts'
import { seconds } from '../../../src/model/units.ts'
import { dateHeader, FRESH_DATE } from '../../support/date-header.ts'
import type { Simulated } from '../../support/simulated-service.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'
import { faultyFetch, type Fault, type Outage, type Route } from '../faults/faults.ts'
import type { Fuse } from './fuse.ts'
import { drawPause, pick } from './lives.ts'

/** A request for a compute, other than GET. */
export type WrittenRequest = Readonly<{
  projectId: string
  endpointId: string
  /** ms. */
  writtenAt: number
  fields: Readonly<Record<string, unknown>>
  isRestart: boolean
  /** It lands later than it was written. */
  isLate: boolean
}>

type NetworkOptions = Readonly<{
  clock: VirtualClock
  random: Random
  simulated: Simulated
  /** Of GET requests; seconds since the start. */
  faults: readonly Fault[]
  /** Chance of a fault of a request other than GET. */
  chance: number
  /** Never aborts. */
  never: AbortSignal
  /** When a daemon writes one. */
  written: (request: WrittenRequest) => void
  /** When the service has answered one. */
  landed: (request: WrittenRequest, status: number) => void
}>

/** Each as likely as the others. */
const FAULTS = [
  'not sent',
  'lost before',
  'lost after',
  'late',
  'busy',
  'limited',
  'failed with effect',
  'failed without effect',
  'truncated',
] as const
type RequestFault = (typeof FAULTS)[number]

/** A late request lands at most so many seconds after it was written: less than settle. */
const LATEST = 110

export function createNetwork(options: NetworkOptions) {
  const { clock, random, simulated, never } = options
  const get = faultyFetch((request) => simulated.fetch(request), options.faults, {
    elapsed: () => clock.monotonic(),
    random,
  })
  const land = async (request: Request, written: WrittenRequest): Promise<Response> => {
    const response = await simulated.fetch(request)
    options.landed(written, response.status)
    return response
  }
  const byFault = (request: Request, written: WrittenRequest) => ({
    'not sent': () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
    'lost before': () => Promise.resolve(undefined),
    'lost after': async () => void (await land(request, written)),
    late: () => {
      const by = seconds(LATEST * random.unit())
      void clock.sleep(by, never).then(() => land(request, { ...written, isLate: true }))
      return Promise.resolve(undefined)
    },
    busy: () => Promise.resolve(problem(423)),
    limited: () => Promise.resolve(problem(429, { 'retry-after': '7' })),
    'failed with effect': async () => {
      await land(request, written)
      return problem(500)
    },
    'failed without effect': () => Promise.resolve(problem(503)),
    truncated: async () => {
      const { status, headers } = await land(request, written)
      return new Response('{"endpoint":{"id":', { status, headers })
    },
  })
  const change = async (request: Request): Promise<Response | undefined> => {
    const fault = random.unit() < options.chance ? pick<RequestFault>(random, FAULTS) : undefined
    const written = await writtenRequest(request.clone(), clock.now())
    if (fault !== 'not sent') options.written(written)
    return fault ? byFault(request, written)[fault]() : land(request, written)
  }
  return {
    /** Undefined: no answer ever comes. */
    fetchOf:
      (fuse: Fuse) =>
      async (request: Request): Promise<Response | undefined> => {
        if (!fuse.hasPassed()) return undefined
        const response = await (request.method === 'GET' ? get(request) : change(request))
        response?.headers.set('date', dateHeader(clock.now(), FRESH_DATE))
        return fuse.hasPassed() ? response : undefined
      },
  }
}

const problem = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response('{"message":"a fault"}', {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

async function writtenRequest(request: Request, writtenAt: number): Promise<WrittenRequest> {
  const [, projectId = '', endpointId = '', action] =
    /projects\/([^/]+)\/endpoints\/([^/]+)(?:\/([^/]+))?/.exec(new URL(request.url).pathname) ?? []
  const text = await request.text()
  const body = (text === '' ? {} : JSON.parse(text)) as { readonly endpoint?: WrittenRequest['fields'] }
  const fields = body.endpoint ?? {}
  return { projectId, endpointId, writtenAt, fields, isRestart: action === 'restart', isLate: false }
}

const OUTAGES: readonly [Outage, ...Outage[]] = [423, 429, 500, 503, 'malformed', 'hang']
const ROUTES: readonly [Route | undefined, ...(Route | undefined)[]] = [
  undefined,
  'list_projects',
  'list_computes',
  'list_operations',
]

/** Of GET requests: some minutes, some times a day. @param span seconds in which they begin */
export function drawFaults(random: Random, span: number): readonly Fault[] {
  const faults: Fault[] = []
  for (let from = drawPause(random, [1000, 20_000]); from < span; from += drawPause(random, [2000, 40_000])) {
    const route = pick(random, ROUTES)
    faults.push({
      from,
      to: Math.min(span, from + drawPause(random, [30, 1500])),
      outage: pick(random, OUTAGES),
      chance: pick(random, [0.2, 0.6, 1]),
      ...(route && { route }),
      retryAfter: 5,
    })
  }
  return faults
}
