// Lives of one change on virtual time: the real loop, journal and client against the local control plane, with faults of requests and
// with processes that end at any call of a port.
import { createApplyLoop } from '../../../src/daemon/changes/apply-loop.ts'
import type { ApplyMachine } from '../../../src/daemon/changes/apply-loop-options.ts'
import { isEnded, type Change } from '../../../src/model/policy/change.ts'
import type { Clock } from '../../../src/model/ports/clock.ts'
import { addChange } from '../../../src/model/ports/journal.ts'
import { after, ratio, seconds, type Instant, type Seconds } from '../../../src/model/units.ts'
import { createService } from '../../../src/service/service.ts'
import { ok } from '../../../src/std/result.ts'
import { sumOf } from '../../../src/std/sum.ts'
import { changeOf } from '../../support/changes.ts'
import { Inside } from '../../support/inside.ts'
import { memoryStore, newMemory } from '../../support/memory-store.ts'
import { createFaultyService, LATE, type Fault } from './faulty-service.ts'
import { NO_VERIFICATION } from './loop-of.ts'
import { idsOf, startSimulated, type Simulated } from '../../support/simulated-service.ts'
import { createVirtualClock, localClockOf, type VirtualClock } from '../../support/virtual-clock.ts'

export type Life = Readonly<{
  kind: 'sizing' | 'restart' | 'defaults'
  /** Of the first mutations, in order; none afterwards. */
  faults: readonly Fault[]
  /** Calls of ports after which each process ends, in order; the last process lives on. */
  crashes: readonly number[]
  /** A person sets 2 CU, or a default delay of 900 s, so many seconds after the start. */
  personAt?: number
}>

export type Outcome = Readonly<{
  change: Change
  hasEnded: boolean
  /** Mutations of ours that took effect. */
  effects: number
  /** Of them, those written after a person had set another value. */
  overwrites: number
  /** How often its end was counted. */
  tallied: number
  /** Calls of ports by the last process. */
  calls: number
  /** CU at the end. */
  size: number
}>

export type Variant = Readonly<{ machine?: ApplyMachine; settle: Seconds }>

const IDS = idsOf(0)
const START = Date.UTC(2026, 0, 5)
/** Default delays of the project before and after its change. */
const DELAY_BEFORE = { autosuspendDelay: seconds(300) }
const DEFAULT_DELAY = { autosuspendDelay: seconds(60) }
/** Virtual seconds in which a change must end: five attempts with settle and pauses. */
const LIMIT = 3600
const NEVER = new AbortController().signal

/** What ends a process: after so many calls nothing of it goes on. */
function createFuse(limit = Infinity) {
  let calls = 0
  return {
    calls: () => calls,
    isBurnt: () => calls > limit,
    /** Counts a call. @returns whether the process goes on */
    hasPassed: (): boolean => {
      calls += 1
      return calls <= limit
    },
    /** Resolves unless the process has ended. */
    pass: async (): Promise<void> => {
      calls += 1
      if (calls > limit) await new Promise(() => undefined)
    },
  }
}
type Fuse = ReturnType<typeof createFuse>

/** Each method is a call, before it works and after it did. */
const fused = <Ports extends object>(ports: Ports, fuse: Fuse): Ports =>
  new Proxy(ports, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return async (...given: readonly unknown[]) => {
        await fuse.pass()
        const result: unknown = await Reflect.apply(method, target, given)
        await fuse.pass()
        return result
      }
    },
  })

export async function live(life: Life, variant: Variant): Promise<Outcome> {
  const clock = createVirtualClock(START)
  const simulated = await startSimulated({
    // one that never suspends for a restart
    projects: [
      {
        name: 'one',
        cu: 1,
        ...(life.kind === 'restart' && { suspendTimeoutSeconds: -1, activity: [START] }),
      },
    ],
    clock: localClockOf(clock),
    behaviour: { patchEqualRestarts: true },
  })
  try {
    return await clock.run(liveOn(life, variant, { clock, simulated }))
  } finally {
    await simulated.stop()
  }
}

type Stage = Readonly<{ clock: VirtualClock; simulated: Simulated }>

async function liveOn(life: Life, variant: Variant, { clock, simulated }: Stage): Promise<Outcome> {
  const memory = newMemory()
  const faulty = createFaultyService(simulated, clock, life.faults)
  await clock.sleep(seconds(60), NEVER)
  const change = changeAt(clock.now(), life)
  await addChange(memoryStore(memory).account('main'), change, { at: clock.now() })
  if (life.personAt !== undefined)
    void clock
      .sleep(seconds(life.personAt), NEVER)
      .then(() => setByPerson(simulated, life))
      .then(faulty.personSet)
  const end = clock.now() + 1000 * LIMIT
  const stored = () => memory.accounts.get('main')?.changes.get(change.id) ?? change
  const isOver = () => isEnded(stored().state) || clock.now() >= end
  let calls = 0
  for (const limit of [...life.crashes, Infinity]) {
    const fuse = createFuse(limit)
    // oxlint-disable-next-line no-await-in-loop -- one process after the other
    await runProcess({ fuse, variant, clock, faulty, simulated, store: memoryStore(memory) }, isOver)
    calls = fuse.calls()
    if (isOver()) break
  }
  await clock.sleep(seconds(LATE + 60), NEVER)
  simulated.advance()
  const size = simulated.project(IDS.projectId)?.computes[0]?.config.maxCu ?? 0
  const tallies = [...(memory.accounts.get('main')?.changeTallies.values() ?? [])]
  return {
    change: stored(),
    hasEnded: isEnded(stored().state),
    effects: faulty.effects(),
    overwrites: faulty.overwrites(),
    tallied: sumOf(tallies, ({ count }) => count),
    calls,
    size,
  }
}

const PROJECT = { account: 'main', projectId: IDS.projectId }

const changeAt = (now: Instant, { kind }: Life): Change =>
  changeOf({
    ref: { ...PROJECT, endpointId: IDS.endpointId },
    createdAt: now,
    deadline: after(now, seconds(86_400)),
    ...(kind === 'restart' && { kind, desired: {}, before: {}, when: 'now' }),
    ...(kind === 'defaults' && { kind, ref: PROJECT, desired: DEFAULT_DELAY, before: DELAY_BEFORE }),
  })

/** Until it ends at a call of a port, or the change has ended. */
async function runProcess(process: Process, isOver: () => boolean): Promise<void> {
  const { fuse, clock } = process
  const stop = new AbortController()
  const running = startLoop(process, stop.signal)
  // oxlint-disable-next-line no-await-in-loop -- a look a second
  while (!fuse.isBurnt() && !isOver()) await clock.sleep(seconds(1), NEVER)
  stop.abort()
  // a process that was killed never ends
  if (!fuse.isBurnt()) await running
}

type Process = Stage &
  Readonly<{
    fuse: Fuse
    variant: Variant
    faulty: ReturnType<typeof createFaultyService>
    store: ReturnType<typeof memoryStore>
  }>

function startLoop(
  { fuse, variant, clock, faulty, simulated, store }: Process,
  signal: AbortSignal,
): Promise<void> {
  const ownClock: Clock = {
    ...clock,
    sleep: async (span, stop) => {
      await clock.sleep(span, stop)
      if (fuse.isBurnt()) await new Promise(() => undefined)
    },
  }
  const fetch = async (request: Request) => {
    const response = await faulty.fetch(request)
    return fuse.hasPassed() ? response : undefined
  }
  const inside = new Inside(fetch, clock)
  const service = createService({
    baseUrl: simulated.baseUrl,
    readKey: () => ok(simulated.apiKey),
    clock: ownClock,
    random: RANDOM,
    requestsPerMinute: 60_000,
    projects: 'discover',
    dispatcher: inside,
  })
  const loop = createApplyLoop({
    account: 'main',
    clock: ownClock,
    random: RANDOM,
    service,
    store: fused(store.account('main'), fuse),
    journal: fused(store, fuse),
    epoch: store.epoch,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    requestsPerSecond: 10,
    isPassing: () => false,
    send: () => Promise.resolve([]),
    stoppedBy: () => undefined,
    policyHold: () => undefined,
    isKeyRefused: () => false,
    isCurrent: () => store.isCurrent(),
    countSessions: () => Promise.resolve('unknown'),
    rungsOf: () => undefined,
    isSuspensionNear: () => false,
    rulesOf: () =>
      Promise.resolve({
        shortenedAt: undefined,
        siblings: undefined,
        arrival: () => ratio(0),
        use: undefined,
      }),
    clockOffset: () => 0,
    isClockSteady: () => true,
    ...NO_VERIFICATION,
    isDeleted: () => false,
    published: () => undefined,
    ...variant,
    settle: () => variant.settle,
  })
  return loop.run(signal)
}

/** By a person, who does not ask Dormouse. */
function setByPerson(simulated: Simulated, { kind }: Life): Promise<Response> {
  const isOfProject = kind === 'defaults'
  const path = isOfProject ? '' : `/endpoints/${IDS.endpointId}`
  const body = isOfProject
    ? { project: { default_endpoint_settings: { suspend_timeout_seconds: 900 } } }
    : { endpoint: { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 } }
  return simulated.fetch(
    new Request(`${simulated.baseUrl}/projects/${IDS.projectId}${path}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${simulated.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
}

const RANDOM = { unit: () => 0.5, uuid: () => '' }
