// What the store of a daemon holds of 35 days: gaps, settings, rollups and days as they were, and the recommendations that follow from them.
import { evaluateCompute } from '../../../src/daemon/advice/evaluate.ts'
import { advicePlanOf, passPlanOf } from '../../../src/daemon/accounts/ports.ts'
import type { Config } from '../../../src/config/load.ts'
import { accountUtilisation } from '../../../src/ledger/metering/sizes-from-metering.ts'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import type { DayRow } from '../../../src/model/ledger/quantities.ts'
import { eachBound } from '../../../src/model/ledger/quantities.ts'
import { COARSE_STEP, FINE_STEP, type Rollup } from '../../../src/model/ledger/rollup.ts'
import { MIN_GAP } from '../../../src/model/ledger/gap.ts'
import type { History } from '../../../src/model/ports/history.ts'
import { commit, type Store, type Write } from '../../../src/model/ports/store.ts'
import { effectiveDelay, type Compute, type ComputeRef } from '../../../src/model/service/compute.ts'
import { cu, cuMillis, DAY, instant, millis, seconds, type Seconds } from '../../../src/model/units.ts'
import { sumOf } from '../../../src/std/sum.ts'
import { PAST_DAYS, type Life } from './lives.ts'

/** `[from, to)`, ms. */
type Span = Readonly<{ from: number; to: number }>

/** One compute as it is now, how it was used, and when it was awake, by the service. */
export type PastCompute = Readonly<{ compute: Compute; life: Life; awake: readonly Span[] }>

type PastOptions = Readonly<{ store: Store & History; config: Config; now: number }>

/** That clients hold at each reading of the past. */
export const CONNECTIONS = 8

/** Fine rollups are stored for so many days. */
const FINE_DAYS = 14

/** @throws when the store fails */
export async function writePast(computes: readonly PastCompute[], options: PastOptions): Promise<void> {
  const { store, config, now } = options
  const [account] = config.accounts
  if (!account) throw new Error('the configuration has an account')
  const stored = store.account(account.name)
  for (const past of computes) {
    const { endpointId, projectId } = past.compute
    const ref = { account: account.name, projectId, endpointId }
    const look = {
      compute: past.compute,
      askedAt: instant(now),
      answeredAt: instant(now),
      askedOn: seconds(0),
    }
    const entry = newComputeEntry(ref, look, true)
    // oxlint-disable-next-line no-await-in-loop -- one compute after the other
    await commit(stored, [{ kind: 'compute', entry }, ...rowsOf(ref, past, now)])
    // oxlint-disable-next-line no-await-in-loop -- it reads the rows
    const { writes } = await evaluateCompute(entry, {
      history: store,
      plan: advicePlanOf(account, config, passPlanOf(account, config)),
      utilisation: accountUtilisation([]),
      project: undefined,
      now: instant(now),
    })
    // oxlint-disable-next-line no-await-in-loop -- as above
    await commit(stored, writes)
  }
}

const rowsOf = (ref: ComputeRef, past: PastCompute, now: number): readonly Write[] => [
  {
    kind: 'setting',
    setting: {
      ref,
      since: instant(now - PAST_DAYS * DAY),
      delay: effectiveDelay(past.compute, undefined),
      sizing: past.compute.sizing,
    },
  },
  ...gapsOf(ref, past, now),
  ...rollupsOf(ref, past, { length: COARSE_STEP, days: PAST_DAYS, now }),
  ...rollupsOf(ref, past, { length: FINE_STEP, days: FINE_DAYS, now }),
  ...daysOf(ref, past, now),
]

/** Between visits; those hidden by nothing, because looks were a minute apart. */
function gapsOf(ref: ComputeRef, { life }: PastCompute, now: number): readonly Write[] {
  const past = life.visits.filter(({ at }) => at < now)
  return past.flatMap(({ at, session: { works = 0 } }, index): readonly Write[] => {
    const next = past[index + 1]
    const from = Math.ceil((at + works) / 1000) * 1000
    const length = seconds(Math.floor(((next?.at ?? from) - from) / 1000))
    if (length < MIN_GAP) return []
    return [
      {
        kind: 'gap',
        gap: { ref, from: instant(from), low: length, high: length, hiddenBelow: seconds(0) },
      },
    ]
  })
}

type Buckets = Readonly<{ length: Seconds; days: number; now: number }>

/** Finished buckets with awake time, read once a minute. */
function rollupsOf(ref: ComputeRef, past: PastCompute, { length, days, now }: Buckets): readonly Write[] {
  const step = 1000 * length
  const first = Math.ceil((now - days * DAY) / step) * step
  const count = Math.floor((now - first) / step)
  const active = awakeInSteps(past.awake, { first, step, count })
  return active.flatMap((time, index): readonly Write[] => {
    if (time < 60_000) return []
    const bucket = { from: first + index * step, length, active: time }
    return [{ kind: 'rollup', rollup: rollupOf(ref, past, bucket) }]
  })
}

type Steps = Readonly<{ first: number; step: number; count: number }>

/** Of each step: one walk over times in order, because there are thousands of both. */
function awakeInSteps(awake: readonly Span[], { first, step, count }: Steps): readonly number[] {
  let next = 0
  return Array.from({ length: count }, (_, index) => {
    const from = first + index * step
    const to = from + step
    while ((awake[next]?.to ?? Infinity) <= from) next += 1
    let after = next
    while ((awake[after]?.from ?? Infinity) < to) after += 1
    return awakeWithin(awake.slice(next, after), { from, to })
  })
}

function rollupOf(
  ref: ComputeRef,
  { compute, life }: PastCompute,
  { from, length, active }: Readonly<{ from: number; length: Seconds; active: number }>,
): Rollup {
  const readings = Math.floor(active / 60_000)
  const size = 'fixed' in compute.sizing ? compute.sizing.fixed : compute.sizing.max
  const peak = { sum: CONNECTIONS * readings, max: CONNECTIONS + 1 }
  const none = { sum: 0, max: 0 }
  return {
    ref,
    from: instant(from),
    length,
    time: { active: millis(active), idle: millis(1000 * length - active), init: millis(0) },
    followed: millis(active),
    readings,
    size: { count: readings, sum: size * readings, min: cu(size), max: cu(size), source: 'fixed' },
    connections: {
      count: readings,
      all: peak,
      active: none,
      idle: peak,
      idleInTransaction: none,
      other: none,
    },
    connectionLimit: 112,
    idleAtSuspension: undefined,
    cache: undefined,
    cacheUsed: undefined,
    cacheLimit: undefined,
    workingSet: undefined,
    use: { arrivals: readings, activeTime: millis(Math.round(life.load * active)), over: millis(active) },
    longestTransaction: undefined,
    culprits: [],
  }
}

/** Days in UTC. */
function daysOf(ref: ComputeRef, { awake, compute }: PastCompute, now: number): readonly Write[] {
  const first = Math.floor(now / DAY) - PAST_DAYS
  const size = 'fixed' in compute.sizing ? compute.sizing.fixed : compute.sizing.max
  return Array.from({ length: PAST_DAYS }, (_, index) => (first + index) * DAY).map((from): Write => {
    const time = awakeWithin(awake, { from, to: from + DAY })
    const day: DayRow = {
      ref,
      date: new Date(from).toISOString().slice(0, 10),
      from: instant(from),
      to: instant(from + DAY),
      awake: eachBound(() => millis(time)),
      cuTime: { 106_000: eachBound(() => cuMillis(Math.round(size * time))) },
      idleTail: millis(0),
      observerOverhead: millis(0),
      wakes: awake.filter((one) => one.from >= from && one.from < from + DAY).length,
      version: 1,
    }
    return { kind: 'day', day }
  })
}

const awakeWithin = (awake: readonly Span[], { from, to }: Span): number =>
  Math.round(sumOf(awake, (one) => Math.max(0, Math.min(one.to, to) - Math.max(one.from, from))))
