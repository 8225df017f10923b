// Follows the service's count of one project, and shares it out over the time in which sizes are known as ranges alone.
import type {
  MeterBaseline,
  MeterReading,
  Utilisation,
  ProjectMetering,
  RangeUtilisation,
} from '../../model/ledger/metering.ts'
import {
  after,
  cuMillis,
  instant,
  latest,
  ratio,
  seconds,
  type Instant,
  type Seconds,
} from '../../model/units.ts'
import { compareAt } from './compare.ts'
import { ASSUMED_METERING_LAG, betterLagSample, meteringLagSample } from './metering-lag.ts'
import { asleepSince, firstAwakeAfter, ledgerUsageUntil, usageIn, type ProjectUsage } from './ledger-use.ts'

export const NO_UTILISATION: Utilisation = { used: cuMillis(0), capacity: cuMillis(0) }

/** A count that did not move for so long while nobody was awake is of all time before: none counts later than that. Doubled, projects that wake every hour are never aligned. */
const STILL = seconds(3600)
/** One share is told of that much time, ms. Doubled, a size that changes by the hour is told as an average. */
const STRETCH = 3_600_000
/** What does not fit into a stretch and is no more than so much time of all computes at their largest belongs to the next one, ms: the lag is known no better. Doubled, an error of the count is spread further. */
const CARRIED = 60_000
/** How long a share is kept, ms: what it tells of is settled then. */
const KEPT = 3 * 3_600_000
/** CU·ms: twice as much room as is remembered of a habit, which is some days of a range of 2 CU. Doubled, a project that has become busier is taken for a quiet one twice as long. */
const REMEMBERED = 100 * 3_600_000

export type MeteringContext = {
  /** As of the reading. */
  readonly use: ProjectUsage
  /** As the whole account tells; undefined while nothing does. */
  readonly lag: Seconds | undefined
}

/**
 * What `reading` adds. One that is not newer than the last, or says the same, changes nothing; one that is less, or more than all
 * computes at their largest can have used, is counted as ignored, and following begins anew.
 */
export function applyMeterReading(
  before: ProjectMetering,
  reading: MeterReading,
  { use, lag }: MeteringContext,
): ProjectMetering {
  const { last } = before
  if (reading.at <= last.at || reading.cuTime === last.cuTime) return before
  if (reading.cuTime < last.cuTime) return ignoring(before, reading)
  const based = basedOn(before, reading, { use, lag: lag ?? lagOf(before) })
  const { base } = based
  const rest = cuMillis(base.ledger + reading.cuTime - base.cuTime - ledgerUsageUntil(use, base.until))
  if (rest > mostSince(base, reading, use)) return ignoring(before, reading)
  const sample = meteringLagSample(use, { base, rest, at: reading.at })
  const known = { ...based, last: reading, lag: betterLagSample(before.lag, sample, base !== before.base) }
  const to = latest(base.until, after(reading.at, seconds(0 - (lag ?? lagOf(known)))))
  const next = shared(known, { reading, rest, to }, use)
  const found = base === before.base ? next.base : base
  return found && found !== before.base ? { ...next, ...compareAt(next, found, use) } : next
}

const lagOf = ({ lag }: ProjectMetering): Seconds => lag?.atLeast ?? ASSUMED_METERING_LAG

/** Of a project whose count was `last` when its computes were last listed. */
export const newProjectMetering = (last: MeterReading): ProjectMetering => ({
  last,
  base: undefined,
  shares: [],
  current: NO_UTILISATION,
  utilisation: NO_UTILISATION,
  lag: undefined,
  ignored: 0,
})

const ignoring = (before: ProjectMetering, reading: MeterReading): ProjectMetering => ({
  ...before,
  last: reading,
  base: undefined,
  current: NO_UTILISATION,
  utilisation: remembered(before.utilisation, before.current),
  ignored: before.ignored + 1,
  comparison: undefined,
})

/** What all computes can have used since, whatever is known of them, with what was counted late. */
const mostSince = (base: MeterBaseline, reading: MeterReading, { largest }: ProjectUsage): number =>
  (reading.at - base.until + 2 * STILL * 1000) * largest

type Based = ProjectMetering & { readonly base: MeterBaseline }

/** The count, with a base to go on from. */
function basedOn(
  before: ProjectMetering,
  reading: MeterReading,
  { use, lag }: MeteringContext & { readonly lag: Seconds },
): Based {
  const { last } = before
  const awakeAt = firstAwakeAfter(use, last.at) ?? reading.at
  if (awakeAt >= latest(last.at, after(asleepSince(use, last.at), STILL))) {
    const base = { until: last.at, cuTime: last.cuTime, ledger: ledgerUsageUntil(use, last.at), still: true }
    return {
      ...before,
      base,
      current: NO_UTILISATION,
      utilisation: remembered(before.utilisation, before.current),
    }
  }
  if (before.base) return { ...before, base: before.base }
  const until = after(last.at, seconds(0 - lag))
  return {
    ...before,
    base: { until, cuTime: last.cuTime, ledger: ledgerUsageUntil(use, until), still: false },
  }
}

type Told = { readonly reading: MeterReading; readonly rest: number; readonly to: Instant }

/** `rest` laid over the awake time from the base until `to`; what is there beyond the bounds waits, for a while, for what is not known yet. */
function shared(count: Based, told: Told, use: ProjectUsage): ProjectMetering {
  const { base } = count
  const { rest, to } = told
  const [least, most] = [usageIn(use, [base.until, to], 'least'), usageIn(use, [base.until, to], 'most')]
  const awakeAt = firstAwakeAfter(use, base.until)
  const isLong = awakeAt !== undefined && to - latest(awakeAt, base.until) >= STRETCH
  const beyond = CARRIED * use.largest
  if (most === 0 || (rest > most + beyond && !isLong)) return count
  const open: Utilisation = {
    used: cuMillis(Math.min(most, Math.max(least, rest)) - least),
    capacity: cuMillis(most - least),
  }
  const shares =
    open.capacity === 0
      ? count.shares
      : sharesAfter(count.shares, { from: base.until, to, share: ratio(open.used / open.capacity) })
  if (!isLong) return { ...count, shares, current: open }
  const missed = Math.max(-beyond, Math.min(beyond, rest - least - open.used))
  const ledger = cuMillis(ledgerUsageUntil(use, base.until) + least + open.used + missed)
  return {
    ...count,
    shares,
    current: NO_UTILISATION,
    utilisation: remembered(count.utilisation, open),
    base: { until: to, cuTime: told.reading.cuTime, ledger, still: false },
  }
}

/** The share of one stretch takes the place of what was told of it before. */
function sharesAfter(
  shares: readonly RangeUtilisation[],
  next: RangeUtilisation,
): readonly RangeUtilisation[] {
  const oldest = instant(next.to - KEPT)
  const others = shares.filter(({ from, to }) => from < next.from && to >= oldest)
  return [...others.map((one) => (one.to > next.from ? { ...one, to: next.from } : one)), next]
}

/** The sum; of a long past ever less. */
function remembered(utilisation: Utilisation, { used, capacity }: Utilisation): Utilisation {
  const sum = { used: cuMillis(utilisation.used + used), capacity: cuMillis(utilisation.capacity + capacity) }
  if (sum.capacity <= REMEMBERED) return sum
  const kept = REMEMBERED / sum.capacity / 2
  return { used: cuMillis(sum.used * kept), capacity: cuMillis(sum.capacity * kept) }
}
