// Recommendations for a report, read compute by compute; only what is listed stays in memory.
import { FOLLOW_UP } from '../../advise/follow-up.ts'
import type { Window } from '../../calendar/window.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { ReportPlan, ReportSlot } from '../../model/output/report.ts'
import type { Recommendation } from '../../model/policy/recommendation.ts'
import type { History } from '../../model/ports/history.ts'
import { targetKey, type TargetRef } from '../../model/service/compute.ts'
import { instant, type Micros } from '../../model/units.ts'
import { createAdviceCollector } from '../../outputs/report/advice.ts'
import { isInReportPlan, type ComputeIdentity } from '../../outputs/report/ownership.ts'
import type { ReportAdvice } from '../../outputs/report/schema.ts'
import { medianWakeLatency, recommendationJson } from '../../outputs/text/recommendation-json.ts'
import { targetOfRef } from '../../model/policy/selector.ts'
import type { ManagerOf } from '../../model/policy/policies.ts'
import { readNoWakeCosts } from '../history/no-wake-costs.ts'

export type ReportAdviceSource = Readonly<{
  history: Pick<History, 'recommendations' | 'advice' | 'gaps'>
  ledger: Ledger
  advice: Readonly<{
    /** URL of the service, for the printed requests. */
    baseUrl: string
    /** In 30 days: what saves less is not listed. */
    minSaving: Micros
    /** By name. */
    windows: ReadonlyMap<string, Window>
    /** Absent: nobody else owns settings. */
    managerOf?: ManagerOf
  }>
}>

type PlannedReports = Readonly<{
  slot: ReportSlot
  plans: readonly ReportPlan[]
  identityOf: (ref: TargetRef) => ComputeIdentity
}>

/** In the order of the plans. @throws when the store fails */
export async function readReportAdvice(
  source: ReportAdviceSource,
  { slot, plans, identityOf }: PlannedReports,
): Promise<readonly ReportAdvice[]> {
  const { history, ledger, advice } = source
  const jsonOf = (recommendation: Recommendation) => adviceJson(source, recommendation, identityOf)
  const common = { slot, minSaving: advice.minSaving, identityOf, jsonOf }
  const collectors = plans.map((plan) => ({ plan, collector: createAdviceCollector({ plan, ...common }) }))
  const collectorsOf = (ref: TargetRef) =>
    collectors.filter(({ plan }) => isInReportPlan(plan, identityOf(ref))).map(({ collector }) => collector)
  // follow-ups that ended within the week began as long before
  const since = instant(slot.from - FOLLOW_UP * 1000)
  for await (const recommendation of history.recommendations(ledger.account, { since }))
    for (const collector of collectorsOf(recommendation.ref)) collector.addRecommendation(recommendation)
  for await (const evaluated of history.advice(ledger.account, {}))
    for (const collector of collectorsOf(evaluated.ref)) collector.addWithheld(evaluated)
  const listed = collectors.flatMap(({ collector }) => collector.listed())
  const costs = await readNoWakeCosts({ history, windows: advice.windows }, ledger.account, listed)
  return collectors.map(({ collector }) => collector.done(costs))
}

function adviceJson(
  { ledger, advice: { baseUrl, managerOf } }: ReportAdviceSource,
  recommendation: Recommendation,
  identityOf: PlannedReports['identityOf'],
) {
  const { projectName, name: computeName } = identityOf(recommendation.ref)
  const { ref } = recommendation
  const compute = ledger.computes.get(targetKey(ref))?.compute
  const project = ledger.projects.get(ref.projectId)?.project
  const target = targetOfRef(ref, { compute, project })
  return recommendationJson(recommendation, {
    projectName,
    computeName,
    baseUrl,
    wakeLatency: medianWakeLatency(ledger.counters.wakeLatency, compute?.regionId ?? ''),
    managedBy: target && managerOf?.(target),
  })
}
