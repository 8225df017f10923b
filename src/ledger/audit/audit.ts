// The audit of an account, from its ledger, its days and the service's own consumption.
import { effectiveDelay, computeKey } from '../../model/service/compute.ts'
import type { Audit, AuditedCompute, AuditWeek } from '../../model/output/audit.ts'
import type { Consumption } from '../../model/service/consumption.ts'
import type { DayRow, Prices } from '../../model/ledger/quantities.ts'
import type { Recommendation, Withheld } from '../../model/policy/recommendation.ts'
import type { ApiKey } from '../../model/service/api-key.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import { DAY, instant, ratio, type Instant, type Interval } from '../../model/units.ts'
import { correctDays, sumDays, type CorrectedDay } from './corrected-days.ts'
import { findFindings, findUndecided } from './findings.ts'

export type AuditInput = Interval &
  Readonly<{
    ledger: Ledger
    /** Days of `[from, to)` in UTC, as the service counts them. */
    days: readonly DayRow[]
    consumption: readonly Consumption[]
    keys: readonly ApiKey[]
    prices: Prices
    /** By compute key; absent where none was evaluated. */
    advice: ReadonlyMap<string, AuditAdvice>
  }>

/** Recommendations that are open, and the reasons where there are none. */
type AuditAdvice = Readonly<{
  recommendations: readonly Recommendation[]
  withheld: readonly Withheld[]
}>

const WEEK = 7 * DAY

export function buildAudit(input: AuditInput): Audit {
  const { ledger, prices, from, to } = input
  const days = correctDays(input.days, input.consumption, to)
  const byKey = Map.groupBy(days, ({ ref }) => computeKey(ref))
  const existing = [...ledger.computes].filter(([, { deletedAt }]) => deletedAt === undefined)
  const assessed = existing.map(([key, entry]) => {
    const own = byKey.get(key) ?? []
    const { recommendations = [], withheld = [] } = input.advice.get(key) ?? {}
    const compute = auditCompute(entry, own, input)
    return { compute, createdAt: entry.compute.createdAt, days: own, recommendations, withheld }
  })
  const total = sumDays(days)
  const counted = sumDays(days.filter(({ isCounted }) => isCounted))
  return {
    from,
    to,
    currency: prices.currency,
    projects: ledger.projects.size,
    computes: existing.length,
    total,
    counted: ratio(total.spend.likely === 0 ? 1 : counted.spend.likely / total.spend.likely),
    weeks: weeksOf(days, from, to),
    byCompute: assessed
      .map(({ compute }) => compute)
      .toSorted(
        (a, b) => b.spend.likely - a.spend.likely || (computeKey(a.ref) < computeKey(b.ref) ? -1 : 1),
      ),
    recommendations: assessed
      .flatMap(({ compute: { projectName }, recommendations }) =>
        recommendations.map((recommendation) => ({ projectName, recommendation })),
      )
      .toSorted((a, b) => b.recommendation.saving.likely - a.recommendation.saving.likely),
    undecided: findUndecided(assessed, { from, to }),
    findings: findFindings(assessed, input.keys, { from, to }),
  }
}

function auditCompute(
  { ref, compute }: ComputeEntry,
  days: readonly CorrectedDay[],
  { ledger, from, to }: AuditInput,
): AuditedCompute {
  const project = ledger.projects.get(ref.projectId)?.project
  const sums = sumDays(days)
  const existed = Math.max(1, to - Math.max(from, compute.createdAt))
  return {
    ...sums,
    ref,
    projectName: project?.name ?? ref.projectId,
    sizing: compute.sizing,
    delay: effectiveDelay(compute, project),
    awakeShare: ratio(Math.min(1, sums.awake.likely / existed)),
  }
}

/** A day belongs to the week in which it begins; weeks before anything was awake are left out. */
function weeksOf(days: readonly CorrectedDay[], from: Instant, to: Instant): readonly AuditWeek[] {
  const count = Math.floor((to - from) / WEEK)
  const weeks = Array.from({ length: count }, (_, index) => {
    const begin = instant(to - (count - index) * WEEK)
    const sums = sumDays(days.filter((day) => day.from >= begin && day.from < begin + WEEK))
    return { from: begin, spend: sums.spend.likely, awake: sums.awake.likely, wakes: sums.wakes }
  })
  const first = weeks.findIndex(({ awake }) => awake > 0)
  return first === -1 ? [] : weeks.slice(first)
}
