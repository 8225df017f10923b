// Reconciliation: compares the metered usage of a project with the ledger's bounds, from one baseline to a later one. The metering lag
// does not matter where the meter stood still at both.
import type {
  ComparisonStart,
  MeterBaseline,
  ProjectMetering,
  Reconciliation,
} from '../../model/ledger/metering.ts'
import { DAY, HOUR, MINUTE, cuMillis, type CuMillis, ratio, type Ratio } from '../../model/units.ts'
import { usageBoundsUntil, type ProjectUsage } from './ledger-use.ts'

/** Shortest interval that is compared: below an hour the meter's whole CU-seconds are too coarse. */
const MIN_COMPARED = HOUR
/** Longest interval that is compared: an error that is over stops counting after a day. */
const MAX_COMPARED = DAY
/** Rounding error of the meter, which counts whole CU-seconds, at both ends together, CU·ms. */
const ROUNDING = 1000
/** Uncertainty of the ends where the metering lag is measured, ms. */
const MEASURED = MINUTE
/** Uncertainty of the ends where the metering lag is assumed, ms. */
const ASSUMED = 900_000

type Comparison = Pick<ProjectMetering, 'comparison' | 'reconciliation'>

/** Comparison and reconciliation with a new baseline. */
export function compareAt(
  { comparison, reconciliation, lag }: ProjectMetering,
  { until, cuTime, still }: MeterBaseline,
  use: ProjectUsage,
): Comparison {
  const { computes } = use
  const current = { at: until, cuTime, still, computes, ...usageBoundsUntil(use, until) }
  if (!comparison || comparison.computes !== computes) return { comparison: current, reconciliation }
  if (until - comparison.at < MIN_COMPARED) return { comparison, reconciliation }
  const lagError = comparison.still && still ? 0 : (lag ? MEASURED : ASSUMED) * use.largest
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

const growthBetween = (from: ComparisonStart, to: ComparisonStart, pick: 'low' | 'high'): CuMillis =>
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

const isIntolerable = (outside: Ratio): boolean => Math.abs(outside) > TOLERATED
