// A daemon that has its troubles watches a life, and keeps its account beside the truth.
import { correctClockSkew } from '../../../src/daemon/pass/clock-skew.ts'
import { upperBoundOfNow, createServiceClock, initialAnchor } from '../../../src/daemon/pass/service-clock.ts'
import { computeKey, type Compute } from '../../../src/model/service/compute.ts'
import type { DayRow, AwakeSlice } from '../../../src/model/ledger/quantities.ts'
import type { ComputeEntry, Ledger } from '../../../src/model/ledger/ledger.ts'
import type { ProjectEntry } from '../../../src/model/ledger/project-entry.ts'
import type { Look, UnreadableOperations } from '../../../src/model/observation.ts'
import type { Operation } from '../../../src/model/service/operation.ts'
import type { Random, ServiceClock } from '../../../src/model/ports/clock.ts'
import { instant, millis, type Instant } from '../../../src/model/units.ts'
import { seeded } from '../../simulation/seeded.ts'
import { accounted } from '../../support/accounted.ts'
import { ledger, prices, project, sweep } from '../../support/build.ts'
import { between, chance, createLife, pick, type Life } from './life.ts'
import { countsOf, LATEST, latenessOf, listedAt, lossesOf, type Counts } from './lists.ts'
import { clocksOf, createMachine, type ClockTroubles, type Machine } from './machine.ts'

/** What the service tells: all of it; no list of operations; the interface text, with `last_active`; states and sizes alone. */
export const TELLS = ['everything', 'no operations', 'the text alone', 'states alone'] as const
export type Tells = (typeof TELLS)[number]

export type Moment = {
  /** Milliseconds and CU·ms. */
  readonly truth: { readonly awake: number; readonly cuTime: number }
  readonly account: ComputeEntry
}

export type Trial = {
  /** After each fold. */
  readonly moments: readonly Moment[]
  /** The newest version of each day. */
  readonly days: readonly DayRow[]
  /** All slices that became final. */
  readonly settled: readonly AwakeSlice[]
}

const KEY = computeKey({ account: 'main', projectId: 'project-one', endpointId: 'ep-one' })
const HOUR = 3_600_000

type Troubles = ClockTroubles & {
  /** Mean time between looks, ms. */
  readonly interval: number
  /** The longest that a request takes, ms. */
  readonly slowness: number
  /** Chance per look that it fails, that the daemon begins anew from the store, and that it stands still for a while. */
  readonly failure: number
  readonly crash: number
  readonly pause: number
}

const troublesOf = (random: Random, length: number): Omit<Troubles, 'dated' | 'date' | 'sleeps'> => ({
  interval: pick(random, [15_000, 60_000, 60_000, 300_000, 900_000]),
  slowness: pick(random, [20, 500, 5000]),
  failure: pick(random, [0, 0.02, 0.2]),
  crash: pick(random, [0, 0.01]),
  pause: pick(random, [0, 0.003]),
  steps: Array.from({ length: pick(random, [0, 0, 1, 3]) }, () => ({
    at: random.unit() * length,
    by: pick(random, [HOUR, -HOUR, 0, 90_000, -90_000]),
  })).toSorted((a, b) => a.at - b.at),
})

/** @param hours the longest that the life is
 */
export function trialOf(seed: number, tells: Tells, hours: number): Trial {
  const random = seeded(seed)
  const life = createLife(random, hours)
  const troubles = { ...troublesOf(random, life.length), ...clocksOf(seeded(seed + 1e6), life.length) }
  const machine = createMachine(troubles)
  const daemon = createDaemon(machine)
  const lateness = latenessOf(seed)
  const counts = countsOf(seeded(seed + 1))
  const begin = firstLook(life, tells, random)
  const losses = lossesOf(seed, begin === FIRST)
  const moments: Moment[] = []
  for (let at = begin, count = 0; at < life.length; count += 1) {
    const slowness = troubles.slowness
    const seen = look({ at, life, machine, clock: daemon.clock(), slowness, tells }, random)
    if ((count === 0 || !chance(random, troubles.failure)) && seen) {
      const listed =
        tells === 'everything'
          ? listedAt(life, { now: machine.now(), readAt: daemon.account()?.operationsReadAt, lateness })
          : []
      const operations = shuffled([...listed, ...listed.slice(0, 3)], random)
      daemon.take(seen, {
        operations: operations.filter((one) => !losses.isLost(one)),
        lost: operations.filter(losses.isLost).map(losses.toldOf),
        counts: counts(life, machine.now()),
      })
      const account = daemon.account()
      if (account) moments.push({ truth: life.used(seen.knownAt), account })
    }
    if (chance(random, troubles.crash)) daemon.restart()
    const rest = chance(random, troubles.pause) ? between(random, 0, 4 * HOUR) : 0
    at = machine.now() + rest + troubles.interval * between(random, 0.5, 1.5)
  }
  return { moments, ...daemon.kept() }
}

/**
 * The compute sleeps, so that all of the truth can be known; of one that is deleted, operations may be all that the first look finds, when
 * all of them are listed.
 */
function firstLook({ length, deletedAt }: Life, tells: Tells, random: Random): number {
  const isLate = chance(random, 0.5)
  const at = between(random, (deletedAt ?? length) + LATEST + 5 * MINUTE, length)
  return isLate && tells === 'everything' && deletedAt !== undefined && at < length ? at : FIRST
}

const MINUTE = 60_000
const FIRST = 1000

/** What the lists tell beside a look. */
type Told = {
  readonly operations: readonly Operation[]
  /** Of records that do not fit. */
  readonly lost: readonly UnreadableOperations[]
  readonly counts: Counts
}

type Daemon = {
  /** Its idea of the time. */
  clock(): ServiceClock
  take(seen: Seen, told: Told): void
  restart(): void
  /** Undefined while nothing tells of the compute. */
  account(): ComputeEntry | undefined
  kept(): Pick<Trial, 'days' | 'settled'>
}

function createDaemon(machine: Machine): Daemon {
  let known: Ledger = ledger()
  let timebase = initialAnchor(known, machine.clock)
  let last: ComputeEntry | undefined
  const days = new Map<string, DayRow>()
  const settled: AwakeSlice[] = []
  return {
    clock: () => createServiceClock(machine, timebase),
    take: (seen, { operations, lost, counts }) => {
      const { answeredAt, looks } = seen
      const endpointIds = looks.map(({ compute }) => compute.endpointId)
      const listed = [{ projectId: 'project-one', answeredAt, endpointIds }]
      const projects = [project(counts)]
      const clock = createServiceClock(machine, timebase)
      const wallAhead = millis(machine.clock.now() - clock.now())
      const saw = sweep((answeredAt - SWEPT) / 1000, {
        projects,
        looks,
        operations,
        listedComputes: listed,
        unreadableOperations: lost,
      })
      const { sweep: told, late } = correctClockSkew(saw, { time: machine.serviceTime, wallAhead })
      timebase = { at: instant(clock.now() + late), on: clock.monotonic() }
      const context = { prices, overhead: 0.01, now: upperBoundOfNow(createServiceClock(machine, timebase)) }
      const folded = accounted(known, told, context)
      known = folded.ledger
      last = known.computes.get(KEY) ?? folded.rows.computes.at(-1) ?? last
      for (const row of folded.days) days.set(row.date, row)
      settled.push(...folded.slices.settled)
    },
    restart: () => {
      known = stored(known)
      machine.restart()
      timebase = initialAnchor(known, machine.clock)
    },
    account: () => last,
    kept: () => ({ days: [...days.values()], settled }),
  }
}

/** Where `sweep` of the builders counts from. */
const SWEPT = Date.UTC(2026, 0, 5)

type Scene = {
  readonly at: number
  readonly life: Life
  readonly machine: Machine
  readonly clock: ServiceClock
  readonly slowness: number
  readonly tells: Tells
}

/** What a list answered: a look, or none when the compute is gone. */
type Seen = {
  readonly answeredAt: Instant
  readonly looks: readonly Look[]
  /** Of which time the daemon can know, ms: of a sleep while the answer was on its way only the next one tells. */
  readonly knownAt: number
}

/**
 * A request takes a moment; what it answers was true somewhere in between. The list of projects is asked for before.
 *
 * @returns undefined when the answers disagree about the time
 */
function look({ at, life, machine, clock, slowness, tells }: Scene, random: Random): Seen | undefined {
  machine.wakeAt(at)
  machine.hear(machine.now(), clock.monotonic())
  const askedOn = clock.monotonic()
  machine.goTo(machine.now() + random.unit() * slowness)
  life.advance(machine.now())
  const writtenAt = machine.now()
  const slept = machine.slept()
  const record = life.record()
  machine.wakeAt(machine.now() + random.unit() * slowness)
  machine.hear(writtenAt, askedOn)
  const seen = clock.between(askedOn, clock.monotonic())
  machine.wakeAt(machine.now() + 5)
  life.advance(machine.now())
  if (!seen) return undefined
  const { from: askedAt, to: answeredAt } = seen
  const looks = record ? [{ compute: asTold(record, tells), askedAt, answeredAt, askedOn }] : []
  return { answeredAt, looks, knownAt: machine.slept() > slept ? writtenAt : machine.now() }
}

function asTold(compute: Compute, tells: Tells): Compute {
  if (tells === 'everything' || tells === 'no operations') return compute
  const text = { ...compute, startedAt: undefined, suspendedAt: undefined, autosuspendDelay: undefined }
  return tells === 'the text alone' ? text : { ...text, lastActive: undefined }
}

const shuffled = <Item>(items: readonly Item[], random: Random): readonly Item[] =>
  items
    .map((item) => ({ item, key: random.unit() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item)

/** As a daemon finds it that begins anew. */
const stored = (known: Ledger): Ledger => ({
  ...known,
  computes: new Map(
    [...known.computes].map(([key, one]) => [key, JSON.parse(JSON.stringify(one)) as ComputeEntry] as const),
  ),
  projects: new Map(
    [...known.projects].map(([key, one]) => [key, JSON.parse(JSON.stringify(one)) as ProjectEntry] as const),
  ),
})
