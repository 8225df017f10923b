// Passes of the daemon over a simulated service with faults: the real client, rate limiter and pass, on virtual time.
import { pino } from 'pino'
import { createUtc } from '../../../src/calendar/zone.ts'
import { runLoop, passInterval, type LoopTurn } from '../../../src/daemon/loop.ts'
import { newPassState, type PassState, type PassPlan } from '../../../src/daemon/pass/pass-state.ts'
import { runPasses } from '../../../src/daemon/pass/run-passes.ts'
import { createBudgetScopes } from '../../../src/ledger/budgets/account-budgets.ts'
import type { Event } from '../../../src/model/output/event-kinds.ts'
import type { Budget } from '../../../src/model/policy/budget.ts'
import { createOwners } from '../../../src/model/policy/owner.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import { seconds, type Seconds } from '../../../src/model/units.ts'
import { createServiceTime } from '../../../src/service/http/server-time.ts'
import type { RequestReport } from '../../../src/service/http/request.ts'
import { createService } from '../../../src/service/service.ts'
import { ok } from '../../../src/std/result.ts'
import { preset, prices } from '../../support/build.ts'
import { Inside, LOOPBACK } from '../../support/inside.ts'
import { memoryStore, newMemory, type AccountRows, type Memory } from '../../support/memory-store.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { POLL } from '../../support/poll.ts'
import {
  startSimulated,
  type Simulated,
  type SimulatedOptions,
  type SimulatedProject,
} from '../../support/simulated-service.ts'
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts'
import { seeded } from '../seeded.ts'
import { noRedactor } from '../../support/secrets.ts'
import { createLateness, faultyFetch, type Fault, type Slowness } from './faults.ts'
import { simulatedReadings, type Addresses } from './simulated-readings.ts'

const START = Date.parse('2026-01-05T00:00:00Z')
const INTERVAL = seconds(60)
/** Of a reading. */
const DEADLINE = seconds(5)
const nothing = (): void => undefined

export type DaysOptions = {
  readonly seed?: number
  readonly projects: readonly SimulatedProject[]
  readonly faults: readonly Fault[]
  /** How long the daemon runs. */
  readonly length: Seconds
  readonly behaviour?: SimulatedOptions['behaviour']
  /** Seconds of life before the daemon's first pass. */
  readonly past?: number
  readonly plan?: Partial<PassPlan['sweep']>
  /** Where readings get the connection strings from; default: none, readings are off. */
  readonly addresses?: Addresses
  /** Requests of other clients, moves of computes for example, each list in order of time. */
  readonly scripts?: SimulatedOptions['scripts']
  readonly slowness?: readonly Slowness[]
  /** Share of awake time that readings may add; default 0.01. */
  readonly overhead?: number
  readonly budgets?: readonly Budget[]
  readonly requestsPerMinute?: number
  /** Default: the projects are discovered. */
  readonly projectIds?: readonly string[]
  /** Whether the daemon is killed after the pass with this number: the next one starts from the store. */
  readonly isKilledAfter?: (pass: number) => boolean
  /** Called after each pass. */
  readonly passed?: (pass: Pass) => void
}

export type Pass = {
  /** End of the pass, seconds after the start. */
  readonly at: number
  readonly took: Seconds
  readonly state: PassState
  /** Requests that were answered or lost until then, from the start. */
  readonly requests: number
  readonly service: Simulated
}

export type Days = {
  readonly passes: readonly Pass[]
  readonly events: readonly Event[]
  readonly reports: readonly RequestReport[]
  readonly state: PassState
  /** Of the store, at the end. */
  readonly rows: AccountRows
}

export const at = (elapsed: number): number => START + 1000 * elapsed

/** Resolves when the daemon has run that long; the service is stopped. */
export async function runDays(options: DaysOptions): Promise<Days> {
  const clock = createVirtualClock(START)
  const random = seeded(options.seed ?? 1)
  const service = await startSimulated({
    projects: options.projects,
    clock: { now: () => clock.now(), after: () => () => undefined, sleep: () => Promise.resolve() },
    since: START - 1000 * (options.past ?? 0),
    scripts: options.scripts ?? [],
    behaviour: { lastActiveLag: 20, ...options.behaviour },
  })
  const events: Event[] = []
  const reports: RequestReport[] = []
  const passes: Pass[] = []
  const elapsed = (): number => clock.monotonic()
  const lateBy = createLateness(options.slowness ?? [], { elapsed, random })
  const dispatcher = new Inside(
    faultyFetch((request) => service.fetch(request), options.faults, { elapsed, random }),
    clock,
    () => seconds(LOOPBACK + lateBy() / 2),
  )
  const memory = newMemory()
  const ports = portsOf({ clock, random, service, dispatcher, lateBy, memory, events, reports }, options)
  const stop = new AbortController()
  const log = pino({ level: 'silent' })
  let state = newPassState(await ports.store.load())
  const turn = async (): Promise<LoopTurn> => {
    const done = await runPasses(
      ports,
      { before: state, plan: planOf(options) },
      { log, self: { pass: nothing, stage: nothing }, signal: stop.signal },
    )
    state = done.state
    const pass = { at: elapsed(), took: done.took, state, requests: reports.length, service }
    passes.push(pass)
    options.passed?.(pass)
    if (options.isKilledAfter?.(passes.length)) state = newPassState(await ports.store.load())
    if (elapsed() >= options.length) stop.abort()
    return { failures: state.service.failures, nextLook: undefined }
  }
  await clock.run(runLoop(clock, { interval: passInterval(INTERVAL), turn }, stop.signal))
  await service.stop()
  const rows = memory.accounts.get('main')
  if (!rows) throw new Error('nothing was stored')
  return { passes, events, reports, state, rows }
}

type Parts = {
  readonly clock: VirtualClock
  readonly random: ReturnType<typeof seeded>
  readonly service: Simulated
  readonly dispatcher: Inside
  readonly lateBy: () => number
  readonly memory: Memory
  readonly events: Event[]
  readonly reports: RequestReport[]
}

function portsOf(parts: Parts, options: DaysOptions): Ports {
  const { clock, random, memory, events } = parts
  const time = createServiceTime(clock)
  const store = memoryStore(memory)
  const service = createService({
    baseUrl: parts.service.baseUrl,
    readKey: () => ok(parts.service.apiKey),
    clock,
    random,
    requestsPerMinute: options.requestsPerMinute ?? 350,
    projects: options.projectIds ?? 'discover',
    useConnectionUri: options.addresses === 'service',
    dispatcher: parts.dispatcher,
    onRequest: (report) => {
      time.record(report)
      parts.reports.push(report)
    },
  })
  return {
    clock,
    serviceTime: time,
    redact: noRedactor.redact,
    random,
    service,
    readings: simulatedReadings(options.addresses, { ...parts, client: service, deadline: DEADLINE }),
    store: store.account('main'),
    epoch: store.epoch,
    history: NO_HISTORY,
    send: (added) => {
      events.push(...added)
      return Promise.resolve([])
    },
  }
}

const planOf = ({ plan, addresses, overhead = 0.01, budgets = [], projectIds }: DaysOptions): PassPlan => ({
  prices,
  preset,
  budgets: createBudgetScopes(budgets),
  dayOf: createUtc().dayOf,
  owners: createOwners([]),
  overhead,
  sweep: {
    ...POLL,
    interval: INTERVAL,
    hasConfiguredProjects: projectIds !== undefined,
    readings: {
      mode: addresses ? 'full' : 'off',
      activityLag: seconds(20),
      deadline: DEADLINE,
      minInterval: seconds(300),
      maxConcurrent: 8,
    },
    ...plan,
  },
})
