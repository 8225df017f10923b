// Passes of the daemon over a simulated service with faults: the real client, rate limiter and pass, on virtual time.
import { pino } from 'pino'
import { createUtc } from '../../../src/calendar/zone.ts'
import { runLoop, passInterval, type LoopTurn } from '../../../src/daemon/loop.ts'
import { newPassState, type PassState, type PassPlan } from '../../../src/daemon/pass/pass-state.ts'
import { runPasses } from '../../../src/daemon/pass/run-passes.ts'
import { createBudgetScopes } from '../../../src/ledger/budgets/account-budgets.ts'
import type { Event } from '../../../src/model/output/event-kinds.ts'
import { createOwners } from '../../../src/model/policy/owner.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import type { Readings } from '../../../src/model/ports/readings.ts'
import { seconds, type Seconds } from '../../../src/model/units.ts'
import { createServiceTime } from '../../../src/service/http/server-time.ts'
import type { RequestReport } from '../../../src/service/http/request.ts'
import { createService } from '../../../src/service/service.ts'
import { ok } from '../../../src/std/result.ts'
import { preset, prices } from '../../support/build.ts'
import { Inside } from '../../support/inside.ts'
import { memoryStore } from '../../support/memory-store.ts'
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
import { faultyFetch, type Fault } from './faults.ts'
import { noRedactor } from '../../support/secrets.ts'

const START = Date.parse('2026-01-05T00:00:00Z')
const INTERVAL = seconds(60)
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
  readonly readings?: Readings
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
    behaviour: { lastActiveLag: 20, ...options.behaviour },
  })
  const events: Event[] = []
  const reports: RequestReport[] = []
  const passes: Pass[] = []
  const elapsed = (): number => clock.monotonic()
  const dispatcher = new Inside(
    faultyFetch((request) => service.fetch(request), options.faults, { elapsed, random }),
    clock,
  )
  const ports = portsOf({ clock, random, service, dispatcher, events, reports }, options)
  const stop = new AbortController()
  let state = newPassState(await ports.store.load())
  const turn = async (): Promise<LoopTurn> => {
    const done = await runPasses(
      ports,
      { before: state, plan: planOf(options) },
      { log: pino({ level: 'silent' }), self: { pass: nothing, stage: nothing }, signal: stop.signal },
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
  return { passes, events, reports, state }
}

type Parts = {
  readonly clock: VirtualClock
  readonly random: ReturnType<typeof seeded>
  readonly service: Simulated
  readonly dispatcher: Inside
  readonly events: Event[]
  readonly reports: RequestReport[]
}

function portsOf(
  { clock, random, service, dispatcher, events, reports }: Parts,
  options: DaysOptions,
): Ports {
  const time = createServiceTime(clock)
  const store = memoryStore()
  return {
    clock,
    serviceTime: time,
    redact: noRedactor.redact,
    random,
    service: createService({
      baseUrl: service.baseUrl,
      readKey: () => ok(service.apiKey),
      clock,
      random,
      requestsPerMinute: options.requestsPerMinute ?? 350,
      projects: options.projectIds ?? 'discover',
      dispatcher,
      onRequest: (report) => {
        time.record(report)
        reports.push(report)
      },
    }),
    readings: options.readings ?? {
      refusalOf: () => 'no-dsn',
      prepare: () => Promise.resolve(undefined),
      evict: nothing,
      read: () => Promise.reject(new Error('readings are off')),
    },
    store: store.account('main'),
    epoch: store.epoch,
    history: NO_HISTORY,
    send: (added) => {
      events.push(...added)
      return Promise.resolve([])
    },
  }
}

const planOf = ({ plan, readings, projectIds }: DaysOptions): PassPlan => ({
  prices,
  preset,
  budgets: createBudgetScopes([]),
  dayOf: createUtc().dayOf,
  owners: createOwners([]),
  overhead: 0.01,
  sweep: {
    ...POLL,
    interval: INTERVAL,
    hasConfiguredProjects: projectIds !== undefined,
    readings: {
      mode: readings ? 'full' : 'off',
      activityLag: seconds(20),
      deadline: seconds(5),
      minInterval: seconds(300),
      maxConcurrent: 8,
    },
    ...plan,
  },
})
