// Faults of a service: which requests they hit, when, and what is answered instead.
import type { Random } from '../../../src/model/ports/clock.ts'

/** Routes that a sweep asks, by the last words of their paths. */
export type Route =
  | 'list_projects'
  | 'get_project'
  | 'list_computes'
  | 'list_operations'
  | 'get_connection_uri'

/** A status with an error body; a page of HTML with status 200; a body that is no JSON; an empty list; no answer at all. */
export type Outage = number | 'html' | 'malformed' | 'empty' | 'hang'

export type Fault = {
  /** Seconds after the start. */
  readonly from: number
  readonly to: number
  readonly outage: Outage
  /** Default: all. */
  readonly route?: Route
  /** Only requests for this project; default: all. */
  readonly projectId?: string
  /** Chance that it hits a request; default 1. */
  readonly chance?: number
  /** `Retry-After` of its answers, seconds; default: none. */
  readonly retryAfter?: number
}

/** A time in which steps take long: requests, answers, sessions. */
export type Slowness = Pick<Fault, 'from' | 'to'> & {
  readonly chance: number
  /** Seconds. */
  readonly longest: number
}

export const FOREVER = { from: 0, to: Infinity }

export function routeOf(request: Request): Route | undefined {
  const { pathname } = new URL(request.url)
  if (pathname.endsWith('/projects')) return 'list_projects'
  if (pathname.endsWith('/endpoints')) return 'list_computes'
  if (pathname.endsWith('/operations')) return 'list_operations'
  if (pathname.endsWith('/connection_uri')) return 'get_connection_uri'
  return /\/projects\/[^/]+$/.test(pathname) ? 'get_project' : undefined
}

type Draw = { readonly elapsed: () => number; readonly random: Random }

/** Draws by how many seconds a step that begins now is late. */
export const createLateness =
  (slowness: readonly Slowness[], { elapsed, random }: Draw) =>
  (): number => {
    const slow = slowness.find(({ from, to }) => elapsed() >= from && elapsed() < to)
    return slow && random.unit() < slow.chance ? random.unit() * slow.longest : 0
  }

/** `fetch` with the faults; undefined: no answer ever comes. */
export function faultyFetch(
  fetch: (request: Request) => Promise<Response>,
  faults: readonly Fault[],
  { elapsed, random }: Draw,
): (request: Request) => Promise<Response | undefined> {
  const hits = ({ from, to, route, projectId = '', chance = 1 }: Fault, request: Request): boolean =>
    elapsed() >= from &&
    elapsed() < to &&
    (route === undefined || route === routeOf(request)) &&
    request.url.includes(projectId) &&
    random.unit() < chance
  return async (request) => {
    const fault = faults.find((one) => hits(one, request))
    return fault ? answerOf(fault) : fetch(request)
  }
}

function answerOf({ outage, retryAfter }: Fault): Response | undefined {
  switch (outage) {
    case 'hang':
      return undefined
    case 'html':
      return new Response('<html><body>Sign in to the network</body></html>', {
        headers: { 'content-type': 'text/html' },
      })
    case 'empty':
      return Response.json({ projects: [], endpoints: [], operations: [], pagination: {} })
    case 'malformed':
      return new Response('{"projects":[{"id":', { headers: { 'content-type': 'application/json' } })
    default:
      return new Response('{"message":"broken for now"}', {
        status: outage,
        headers: {
          'content-type': 'application/json',
          ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
          ...(outage >= 300 && outage < 400 && { location: 'https://login.example.com/' }),
        },
      })
  }
}
