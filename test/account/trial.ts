// A daemon that has its troubles watches a life, and keeps its account beside the truth.
import { retold, steadied, timebaseOf } from '../../src/daemon/steady.ts'
import { computeKey, type Compute } from '../../src/model/compute.ts'
import type { DayRow } from '../../src/model/day.ts'
import type { ComputeAccount, Ledger } from '../../src/model/ledger.ts'
import type { Look } from '../../src/model/observation.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { Clock, Random } from '../../src/model/ports.ts'
import type { AwakeSlice } from '../../src/model/slice.ts'
import { instant, seconds } from '../../src/model/units.ts'
import { START } from '../local/control/build.ts'
import { seeded } from '../simulation/seeded.ts'
import { accounted } from '../support/accounted.ts'
import { ledger, prices, sweep } from '../support/build.ts'
import { between, chance, createLife, pick, type Life } from './life.ts'

/** What the service tells: all of it; no list of operations; the interface text, with `last_active`; states and sizes alone. */
export const TELLS = ['everything', 'no operations', 'the text alone', 'states alone'] as const
export type Tells = (typeof TELLS)[number]

export type Moment = {
  /** Milliseconds and CU·ms. */
  readonly truth: { readonly awake: number; readonly cuTime: number }
  readonly account: ComputeAccount
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
const LATEST = 600_000
const HOUR = 3_600_000

type Troubles = {
  /** Mean time between looks, ms. */
  readonly interval: number
  /** The longest that a request takes, ms. */
  readonly slowness: number
  /** Chance per look that it fails, that the daemon begins anew from the store, and that it stands still for a while. */
  readonly failure: number
  readonly crash: number
  readonly pause: number
  /** The wall clock minus the service's, ms, from each of these times on. */
  readonly steps: readonly { readonly at: number; readonly by: number }[]
}

const troublesOf = (random: Random, length: number): Troubles => ({
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

/**
 * The compute sleeps at the first look, so that all of the truth can be known.
 *
 * @param hours the longest that the life is
 */
export function trialOf(seed: number, tells: Tells, hours: number): Trial {
  const random = seeded(seed)
  const life = createLife(random, hours)
  const troubles = troublesOf(random, life.length)
  const machine = createMachine(troubles)
  const daemon = createDaemon(machine)
  const lateness = latenessOf(seed)
  const moments: Moment[] = []
  let readAt = 0
  for (let at = 1000, count = 0; at < life.length; count += 1) {
    const slowness = troubles.slowness
    const seen = look({ at, life, machine, clock: daemon.clock(), slowness, tells }, random)
    if (count === 0 || !chance(random, troubles.failure)) {
      const listed = tells === 'everything' ? listedAt(life, { now: machine.now(), readAt, lateness }) : []
      readAt = machine.now()
      daemon.take(seen, shuffled([...listed, ...listed.slice(0, 3)], random))
      moments.push({ truth: life.used(machine.now()), account: daemon.account() })
    }
    if (chance(random, troubles.crash)) daemon.restart()
    const rest = chance(random, troubles.pause) ? between(random, 0, 4 * HOUR) : 0
    at = machine.now() + rest + troubles.interval * between(random, 0.5, 1.5)
  }
  return { moments, ...daemon.kept() }
}

type Daemon = {
  /** Its idea of the time. */
  clock(): Clock
  take(seen: Look, operations: readonly Operation[]): void
  restart(): void
  account(): ComputeAccount
  kept(): Pick<Trial, 'days' | 'settled'>
}

function createDaemon(machine: Machine): Daemon {
  let known: Ledger = ledger()
  let timebase = timebaseOf(known, machine.clock)
  const days = new Map<string, DayRow>()
  const settled: AwakeSlice[] = []
  return {
    clock: () => steadied(machine.clock, timebase),
    take: (seen, operations) => {
      const { answeredAt } = seen
      const listed = [{ projectId: 'project-one', answeredAt, endpointIds: ['ep-one'] }]
      const told = retold(sweep((answeredAt - SWEPT) / 1000, { looks: [seen], operations, listed }), timebase)
      timebase = told.timebase
      const context = { prices, overhead: 0.01, now: steadied(machine.clock, timebase).now() }
      const folded = accounted(known, told.sweep, context)
      known = folded.ledger
      for (const row of folded.days) days.set(row.date, row)
      settled.push(...folded.slices.settled)
    },
    restart: () => {
      known = stored(known)
      machine.restart()
      timebase = timebaseOf(known, machine.clock)
    },
    account: () => {
      const account = known.computes.get(KEY)
      if (!account) throw new Error('the compute has no account')
      return account
    },
    kept: () => ({ days: [...days.values()], settled }),
  }
}

/** Where `sweep` of the builders counts from. */
const SWEPT = Date.UTC(2026, 0, 5)

type Machine = {
  readonly clock: Clock
  /** The service's time, ms after the start. */
  now(): number
  goTo(at: number): void
  /** A new process begins, and with it a clock that somebody put right: when it begins there is nothing else to go by. */
  restart(): void
}

function createMachine({ steps }: Troubles): Machine {
  let [now, begun, mended] = [0, 0, 0]
  const off = (): number => steps.findLast((step) => step.at <= now && step.at >= mended)?.by ?? 0
  return {
    clock: {
      now: () => instant(Math.round(START + now + off())),
      monotonic: () => seconds((now - begun) / 1000),
      sleep: () => Promise.resolve(),
    },
    now: () => now,
    goTo: (at) => {
      now = at
    },
    restart: () => {
      begun = now
      mended = now
    },
  }
}

type Scene = {
  readonly at: number
  readonly life: Life
  readonly machine: Machine
  readonly clock: Clock
  readonly slowness: number
  readonly tells: Tells
}

/** A request takes a moment; what it answers was true somewhere in between. */
function look({ at, life, machine, clock, slowness, tells }: Scene, random: Random): Look {
  machine.goTo(at)
  const [askedAt, askedOn] = [clock.now(), clock.monotonic()]
  machine.goTo(at + random.unit() * slowness)
  life.advance(machine.now())
  const compute = asTold(life.record(), tells)
  machine.goTo(machine.now() + random.unit() * slowness)
  const answeredAt = clock.now()
  machine.goTo(machine.now() + 5)
  life.advance(machine.now())
  return { compute, askedAt, answeredAt, askedOn }
}

function asTold(compute: Compute, tells: Tells): Compute {
  if (tells === 'everything' || tells === 'no operations') return compute
  const text = { ...compute, startedAt: undefined, suspendedAt: undefined, autosuspendDelay: undefined }
  return tells === 'the text alone' ? text : { ...text, lastActive: undefined }
}

/** Each operation is listed late by a time of its own, up to ten minutes. */
const latenessOf =
  (seed: number) =>
  ({ operationId }: Operation): number => {
    const number = Number.parseInt(operationId.slice(-8), 16)
    return number % 3 === 0 ? seeded(seed + number).unit() * LATEST : 0
  }

const listedAt = (
  life: Life,
  {
    now,
    readAt,
    lateness,
  }: { readonly now: number; readonly readAt: number; readonly lateness: (one: Operation) => number },
): readonly Operation[] =>
  life
    .operations()
    .filter(
      (one) => one.updatedAt + lateness(one) <= START + now && one.createdAt >= START + readAt - 900_000,
    )

const shuffled = <Item>(items: readonly Item[], random: Random): readonly Item[] =>
  items
    .map((item) => ({ item, key: random.unit() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item)

/** As a daemon finds it that begins anew. */
const stored = (known: Ledger): Ledger => ({
  ...known,
  computes: new Map(
    [...known.computes].map(
      ([key, one]) => [key, JSON.parse(JSON.stringify(one)) as ComputeAccount] as const,
    ),
  ),
})
