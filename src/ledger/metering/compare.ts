// Compares the count with the ledger, from one base to a later one: the lag takes no part where the count stood still at both.
import type { ComparisonStart, MeterBaseline, ProjectMetering } from '../../model/ledger/metering.ts'
import { cuMillis, type CuMillis } from '../../model/units.ts'
import { reconcile } from './reconcile.ts'
import { usageBoundsUntil, type ProjectUsage } from './ledger-use.ts'

/** Less than that is not compared, ms: whole seconds are too coarse. Doubled, what is wrong is known an hour later. */
const HOUR = 3_600_000
/** Then a comparison begins anew, ms. Doubled, an error is told for twice as long after it was over. */
const DAY = 24 * HOUR
/** The count is written in whole CU-seconds, at both ends, CU·ms. */
const ROUNDING = 1000
/** How well the ends are known that the lag takes part in, ms: where it is measured, and where it is assumed. Doubled, a stretch of a day may be wrong by twice that much unseen. */
const MEASURED = 60_000
const ASSUMED = 900_000

type Compared = Pick<ProjectMetering, 'comparison' | 'reconciliation'>

/** What is known with a base that has just been found. */
export function compareAt(
  { comparison, reconciliation, lag }: ProjectMetering,
  { until, cuTime, still }: MeterBaseline,
  use: ProjectUsage,
): Compared {
  const here: ComparisonStart = {
    at: until,
    cuTime,
    still,
    computes: use.computes,
    ...usageBoundsUntil(use, until),
  }
  if (!comparison || comparison.computes !== here.computes) return { comparison: here, reconciliation }
  if (until - comparison.at < HOUR) return { comparison, reconciliation }
  const unsure = comparison.still && still ? 0 : (lag ? MEASURED : ASSUMED) * use.largest
  const slack = ROUNDING + unsure
  const stretch = {
    from: comparison.at,
    to: until,
    metered: cuMillis(cuTime - comparison.cuTime),
    low: cuMillis(Math.max(0, growth(comparison, here, 'low') - slack)),
    high: cuMillis(growth(comparison, here, 'high') + slack),
  }
  return {
    comparison: until - comparison.at < DAY ? comparison : here,
    reconciliation: reconcile(stretch, reconciliation),
  }
}

const growth = (from: ComparisonStart, to: ComparisonStart, pick: 'low' | 'high'): CuMillis =>
  cuMillis(to[pick] - from[pick])
