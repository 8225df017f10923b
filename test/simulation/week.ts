// The daemon's loop over a simulated account, on a virtual clock with seeded randomness.
import { createOwners, type Owners } from '../../src/model/policy/owner.ts'
import { createBudgetScopes } from '../../src/ledger/budgets/account-budgets.ts'
import { createUtc } from '../../src/calendar/zone.ts'
import { runLoop, type LoopTurn } from '../../src/daemon/loop.ts'
import { pino } from 'pino'
import { newPassState, type PassState, type PassPlan } from '../../src/daemon/pass/pass-state.ts'
import { runPasses } from '../../src/daemon/pass/run-passes.ts'
import type { Event } from '../../src/model/output/event-kinds.ts'
import type { Ledger } from '../../src/model/ledger/ledger.ts'
import type { History } from '../../src/model/ports/history.ts'
import type { Ports } from '../../src/model/ports/ports.ts'
import type { Random } from '../../src/model/ports/clock.ts'
import type { Store } from '../../src/model/ports/store.ts'
import { seconds, type Instant, type Seconds } from '../../src/model/units.ts'
import { START } from '../local/control/build.ts'
import { preset, prices } from '../support/build.ts'
import { NO_HISTORY } from '../support/no-history.ts'
import { POLL } from '../support/poll.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { withCommit } from '../support/writes.ts'
import { createMachine, type MachineTroubles } from './machine.ts'
import { seeded } from './seeded.ts'
import { createWorld, type Count, type Use, type World, type WorldOptions } from './world.ts'
import { noRedactor } from '../support/secrets.ts'

export type Week = {
  readonly ledger: Ledger
  readonly events: readonly Event[]
  readonly world: World
  readonly passes: number
}

export type WeekOptions = MachineTroubles & {
  readonly seed: number
  readonly uses: (random: Random) => readonly Use[]
  readonly days: number
  /** Chance that the daemon is killed at the end of a pass. The next one starts from the store. */
  readonly crashes?: number
  /** Chance per pass that the service stops answering, for half an hour at most. */
  readonly outages?: number
  readonly readings?: PassPlan['sweep']['readings']['mode']
  /** `Date` headers of responses; default: exact. */
  readonly dates?: WorldOptions['dates']
  /** Changes the record of a compute before the daemon gets it. */
  readonly twisted?: WorldOptions['twisted']
  /** Requests that reading the project list takes; default 1. */
  readonly listRequests?: WorldOptions['listRequests']
  /** How late the list shows activity; default as late as looks. */
  readonly listLag?: WorldOptions['listLag']
  /** True while the store refuses to write; `elapsed` in seconds since the start. */
  readonly storeFails?: (elapsed: number) => boolean
  /** Connection strings take up to the deadline of a reading, and three of ten fail. */
  readonly slowAddresses?: WorldOptions['slowAddresses']
  /** Seconds until a session reaches its compute; default 0. */
  readonly slowSessions?: WorldOptions['slowSessions']
  /** The service's metering; default: it counts nothing. */
  readonly count?: Count
  /** Default: in memory. */
  readonly store?: Store
  /** Default: empty. */
  readonly history?: History
  /** Start of the simulation, ms; default: START. */
  readonly start?: number
  /** From the start of one pass to the next; default: a minute. */
  readonly interval?: Seconds
  /** In place of UTC, one price and no budgets. */
  readonly plan?: Partial<Pick<PassPlan, 'prices' | 'budgets' | 'dayOf'>>
  /** Requests that a sweep may make. */
  readonly requests?: number
  /** Owners, `elapsed` seconds after the start; default: none. */
  readonly owners?: (elapsed: number) => Owners
  /** Called after every pass. */
  readonly passed?: (state: PassState, now: Instant) => void
}

const DAY = 86_400
const nothing = (): void => undefined

export async function simulateWeek(options: WeekOptions): Promise<Week> {
  const random = seeded(options.seed)
  const { start = START, interval = seconds(60) } = options
  const clock = fakeClock(new Date(start).toISOString())
  const machine = createMachine(clock, options)
  const { dates, twisted, count, slowAddresses, slowSessions, listRequests, listLag } = options
  const world = createWorld(options.uses(random), {
    clock,
    random,
    start,
    machine,
    dates,
    twisted,
    count,
    slowAddresses,
    slowSessions,
    listRequests,
    listLag,
  })
  const events: Event[] = []
  const store = options.store ?? memoryStore()
  const send: Ports['send'] = (added) => {
    events.push(...added)
    return Promise.resolve([])
  }
  const { service, readings } = world
  const ports: Ports = {
    clock: machine,
    serviceTime: world.time,
    redact: noRedactor.redact,
    random,
    service,
    readings,
    store: withCommit(store, (_, commit) =>
      options.storeFails?.(clock.monotonic()) ? Promise.reject(new Error('the disk is full')) : commit(),
    ).account('main'),
    epoch: store.epoch,
    history: options.history ?? NO_HISTORY,
    send,
  }
  let state: PassState = newPassState(await store.account('main').load())
  let passes = 0
  const stop = new AbortController()
  const log = pino({ level: 'silent' })
  const self = { pass: nothing, stage: nothing }
  const oneTurn = async (): Promise<LoopTurn> => {
    if (random.unit() < (options.outages ?? 0)) world.breakUntil(clock.now() + random.unit() * 1_800_000)
    state = (
      await runPasses(
        ports,
        { before: state, plan: planOf(options, clock.monotonic()) },
        { log, self, signal: stop.signal },
      )
    ).state
    passes += 1
    options.passed?.(state, clock.now())
    if (random.unit() < (options.crashes ?? 0)) {
      world.forget()
      state = newPassState(await store.account('main').load())
    }
    return { failures: state.service.failures, nextLook: undefined }
  }
  const running = runLoop(machine, { interval, turn: oneTurn }, stop.signal)
  await clock.advance(seconds(options.days * DAY))
  stop.abort()
  await clock.advance(seconds(120))
  await running
  return { ledger: state.ledger, events, world, passes }
}

/** What computes lived until an instant with nobody to watch them, beside which the share of a daemon is measured. */
export function lifeAlone(
  { seed, uses, start = START }: WeekOptions,
  until: number,
): ReturnType<World['simulation']['usages']> {
  const random = seeded(seed)
  const clock = fakeClock(new Date(start).toISOString())
  const { simulation } = createWorld(uses(random), { clock, random, start })
  simulation.advance(until)
  return simulation.usages(until)
}

const planOf = (
  { readings, owners, plan, requests = POLL.requests }: WeekOptions,
  elapsed: number,
): PassPlan => ({
  prices,
  preset,
  budgets: createBudgetScopes([]),
  dayOf: createUtc().dayOf,
  owners: owners?.(elapsed) ?? createOwners([]),
  overhead: 0.01,
  sweep: {
    ...POLL,
    requests,
    readings: {
      mode: readings ?? 'full',
      activityLag: seconds(10),
      deadline: seconds(5),
      minInterval: seconds(300),
      maxConcurrent: 16,
    },
  },
  ...plan,
})
