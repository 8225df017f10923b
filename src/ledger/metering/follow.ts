// Follows the metering of one project:
//
// 1. distributes metered usage over time in which sizes are known only as ranges;
// 2. compares it with the ledger's bounds between two baselines. The metering lag does not matter where the meter stood still.
import type {
  ComparisonStart,
  MeterBaseline,
  MeterReading,
  ProjectMetering,
  RangeUtilisation,
  Reconciliation,
  Utilisation,
} from '../../model/ledger/metering.ts'
import type { Instant, Ratio, Seconds } from '../../model/units.ts'
import { DAY, HOUR, MINUTE, after, cuMillis, instant, latest, ratio, seconds } from '../../model/units.ts'
import { ASSUMED_METERING_LAG, betterLagSample, meteringLagSample } from './metering-lag.ts'
import type { ProjectUsage } from './ledger-use.ts'
import { asleepSince, firstAwakeAfter, ledgerUsageUntil, usageBoundsUntil, usageIn } from './ledger-use.ts'

export const NO_UTILISATION: Utilisation = { used: cuMillis(0), capacity: cuMillis(0) }

/** Time after which an asleep project's meter is complete: longer, projects that wake every hour would get no exact baseline. */
const COMPLETE_AFTER = seconds(3600)
/** Shortest interval that gets a share of its own, ms: an hour still shows sizes that change by the hour. */
const SHARE_INTERVAL = HOUR
/** Usage beyond an interval's bounds that the next takes over, as time at the largest sizes, ms: the lag is known no better. */
const CARRIED = MINUTE
/** Time that a share is retained, ms: its interval is settled by then. */
const RETAINED_FOR = 3 * HOUR
/** Capacity at which the utilisation is halved, CU·ms: some days of a range of 2 CU, so that newer usage soon prevails. */
const MAX_CAPACITY = 100 * HOUR

type MeteringContext = Readonly<{
  /** Usage by the ledger, as of the reading. */
  use: ProjectUsage
  /** Lag of the whole account; undefined while no project measured one. */
  lag: Seconds | undefined
}>

/**
 * 1. a reading that is not newer than the last, or equal to it, changes nothing;
 * 2. one below the last, or above what all computes can have used at their largest, counts as ignored and drops the baseline;
 * 3. any other distributes the usage since the baseline.
 */
export function applyMeterReading(
  before: ProjectMetering,
  reading: MeterReading,
  { use, lag }: MeteringContext,
): ProjectMetering {
  const { last } = before
  if (reading.at <= last.at || reading.cuTime === last.cuTime) return before
  if (reading.cuTime < last.cuTime) return ignoreReading(before, reading)
  const based = ensureBaseline(before, reading, { use, lag: lag ?? lagOf(before) })
  const { base } = based
  const rest = cuMillis(base.ledger + reading.cuTime - base.cuTime - ledgerUsageUntil(use, base.until))
  if (rest > maxUsageSince(base, reading, use)) return ignoreReading(before, reading)
  const sample = meteringLagSample(use, { base, rest, at: reading.at })
  const measured = { ...based, last: reading, lag: betterLagSample(before.lag, sample, base !== before.base) }
  const to = latest(base.until, after(reading.at, seconds(0 - (lag ?? lagOf(measured)))))
  const next = distributeUsage(measured, { reading, rest, to }, use)
  const newest = base === before.base ? next.base : base
  return newest && newest !== before.base ? { ...next, ...compareAt(next, newest, use) } : next
}

const lagOf = ({ lag }: ProjectMetering) => lag?.atLeast ?? ASSUMED_METERING_LAG

/** Metering of a project whose meter stood at `last` when its computes were last listed. */
export const newProjectMetering = (last: MeterReading): ProjectMetering => ({
  last,
  base: undefined,
  shares: [],
  current: NO_UTILISATION,
  utilisation: NO_UTILISATION,
  lag: undefined,
  ignored: 0,
})

const ignoreReading = (before: ProjectMetering, reading: MeterReading): ProjectMetering => ({
  ...before,
  last: reading,
  base: undefined,
  ...withoutCurrent(before),
  ignored: before.ignored + 1,
  comparison: undefined,
})

/** Upper bound of the usage since the baseline: all computes at their largest, and what was metered late. */
const maxUsageSince = (base: MeterBaseline, reading: MeterReading, { largest }: ProjectUsage) =>
  (reading.at - base.until + 2 * COMPLETE_AFTER * 1000) * largest

type Based = ProjectMetering & { readonly base: MeterBaseline }

/** A new one where the meter is complete or none exists. */
function ensureBaseline(
  before: ProjectMetering,
  reading: MeterReading,
  { use, lag }: MeteringContext & { lag: Seconds },
): Based {
  const { last } = before
  const baseAt = (until: Instant, still: boolean) => ({
    until,
    cuTime: last.cuTime,
    ledger: ledgerUsageUntil(use, until),
    still,
  })
  const awakeAt = firstAwakeAfter(use, last.at) ?? reading.at
  if (awakeAt >= latest(last.at, after(asleepSince(use, last.at), COMPLETE_AFTER)))
    return { ...before, base: baseAt(last.at, true), ...withoutCurrent(before) }
  return { ...before, base: before.base ?? baseAt(after(last.at, seconds(0 - lag)), false) }
}

type UsageToDistribute = Readonly<{ reading: MeterReading; rest: number; to: Instant }>

/** Over the awake time until `to`. Usage beyond the bounds waits up to an hour for facts that explain it. */
function distributeUsage(metering: Based, pending: UsageToDistribute, use: ProjectUsage): ProjectMetering {
  const { base } = metering
  const { rest, to } = pending
  const sinceBase = { from: base.until, to }
  const [least, most] = [usageIn(use, sinceBase, 'least'), usageIn(use, sinceBase, 'most')]
  const awakeAt = firstAwakeAfter(use, base.until)
  const isLong = awakeAt !== undefined && to - latest(awakeAt, base.until) >= SHARE_INTERVAL
  const beyond = CARRIED * use.largest
  if (most === 0 || (rest > most + beyond && !isLong)) return metering
  const current: Utilisation = {
    used: cuMillis(Math.min(most, Math.max(least, rest)) - least),
    capacity: cuMillis(most - least),
  }
  const shares =
    current.capacity === 0
      ? metering.shares
      : replaceShare(metering.shares, { from: base.until, to, share: ratio(current.used / current.capacity) })
  if (!isLong) return { ...metering, shares, current }
  const carried = Math.max(-beyond, Math.min(beyond, rest - least - current.used))
  const ledger = cuMillis(ledgerUsageUntil(use, base.until) + least + current.used + carried)
  return {
    ...metering,
    shares,
    ...withoutCurrent({ utilisation: metering.utilisation, current }),
    base: { until: to, cuTime: pending.reading.cuTime, ledger, still: false },
  }
}

/** Replaces earlier shares of the interval of `next`, and drops those retained long enough. */
function replaceShare(shares: readonly RangeUtilisation[], next: RangeUtilisation) {
  const oldest = instant(next.to - RETAINED_FOR)
  const others = shares.filter(({ from, to }) => from < next.from && to >= oldest)
  return [...others.map((share) => (share.to > next.from ? { ...share, to: next.from } : share)), next]
}

/** The current utilisation joins the past one. */
const withoutCurrent = ({ utilisation, current }: Pick<ProjectMetering, 'utilisation' | 'current'>) => ({
  current: NO_UTILISATION,
  utilisation: addUtilisation(utilisation, current),
})

/** Halved beyond `MAX_CAPACITY`, so that old usage weighs ever less. */
function addUtilisation(utilisation: Utilisation, { used, capacity }: Utilisation): Utilisation {
  const sum = { used: cuMillis(utilisation.used + used), capacity: cuMillis(utilisation.capacity + capacity) }
  if (sum.capacity <= MAX_CAPACITY) return sum
  const factor = MAX_CAPACITY / sum.capacity / 2
  return { used: cuMillis(sum.used * factor), capacity: cuMillis(sum.capacity * factor) }
}

/** Shortest interval that is compared: below an hour the meter's whole CU-seconds are too coarse. */
const MIN_COMPARED = HOUR
/** Longest interval that is compared: an error that is over stops counting after a day. */
const MAX_COMPARED = DAY
/** Rounding error of the meter, which counts whole CU-seconds, at both ends together, CU·ms. */
const ROUNDING = 1000
/** Uncertainty of the ends where the metering lag is measured, ms. */
const MEASURED_END = MINUTE
/** Uncertainty of the ends where the metering lag is assumed, ms. */
const ASSUMED_END = 900_000

type Comparison = Pick<ProjectMetering, 'comparison' | 'reconciliation'>

export function compareAt(
  { comparison, reconciliation, lag }: ProjectMetering,
  { until, cuTime, still }: MeterBaseline,
  use: ProjectUsage,
): Comparison {
  const { computes } = use
  const current = { at: until, cuTime, still, computes, ...usageBoundsUntil(use, until) }
  if (!comparison || comparison.computes !== computes) return { comparison: current, reconciliation }
  if (until - comparison.at < MIN_COMPARED) return { comparison, reconciliation }
  const lagError = comparison.still && still ? 0 : (lag ? MEASURED_END : ASSUMED_END) * use.largest
  const slack = ROUNDING + lagError
  const metered = {
    from: comparison.at,
    to: until,
    metered: cuMillis(cuTime - comparison.cuTime),
    low: cuMillis(Math.max(0, growthBetween(comparison, current, 'low') - slack)),
    high: cuMillis(growthBetween(comparison, current, 'high') + slack),
  }
  return {
    comparison: until - comparison.at < MAX_COMPARED ? comparison : current,
    reconciliation: reconcile(metered, reconciliation),
  }
}

const growthBetween = (from: ComparisonStart, to: ComparisonStart, pick: 'low' | 'high') =>
  cuMillis(to[pick] - from[pick])

/** Tolerated difference as a share, 2 %: it shows one uncounted compute in fifty. Source: service-facts.md, "Consumption". */
const TOLERATED = ratio(0.02)

/** @param before the previous reconciliation; undefined for the first */
export function reconcile(
  interval: Pick<Reconciliation, 'from' | 'to' | 'metered' | 'low' | 'high'>,
  before: Reconciliation | undefined,
): Reconciliation {
  const { metered, low, high } = interval
  const difference = metered < low ? metered - low : Math.max(0, metered - high)
  const outside = ratio(difference === 0 ? 0 : difference / Math.max(metered, low))
  return {
    ...interval,
    outside,
    diverges: isIntolerable(outside) && before !== undefined && isIntolerable(before.outside),
  }
}

const isIntolerable = (outside: Ratio) => Math.abs(outside) > TOLERATED
