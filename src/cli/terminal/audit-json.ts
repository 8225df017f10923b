import type {
  Audit,
  AuditedCompute,
  AuditedRecommendation,
  AuditSums,
  Finding,
  UndecidedDelay,
} from '../../model/output/audit.ts'
import { mapBounds } from '../../model/ledger/quantities.ts'
import { toIso } from '../../model/time.ts'
import {
  delayField,
  inMoney,
  millisInSeconds,
  refFields,
  sizingFields,
} from '../../outputs/text/compute-fields.ts'
import { recommendationJson, withheldJson } from '../../outputs/text/recommendation-json.ts'
import { jsonText } from './io.ts'

/** Lengths in seconds, money in units of the currency; recommendations as everywhere, in micros. */
export const auditJson = (audit: Audit, baseUrl: string): string =>
  jsonText({
    from: toIso(audit.from),
    to: toIso(audit.to),
    currency: audit.currency,
    projects: audit.projects,
    computes: audit.computes,
    total: sumsJson(audit.total),
    counted_by_service: audit.counted,
    weeks: audit.weeks.map(({ from, spend, awake, wakes }) => ({
      from: toIso(from),
      spend: inMoney(spend),
      awake_seconds: millisInSeconds(awake),
      wakes,
    })),
    by_compute: audit.byCompute.map(computeJson),
    recommendations: audit.recommendations.map((one) => auditedRecommendationJson(one, baseUrl)),
    undecided: audit.undecided.map(undecidedJson),
    findings: audit.findings.map(findingJson),
  })

const sumsJson = ({ spend, awake, cuTime, idleTail, tailSpend, wakes }: AuditSums) => ({
  spend: mapBounds(spend, inMoney),
  awake_seconds: mapBounds(awake, millisInSeconds),
  cu_seconds: mapBounds(cuTime, millisInSeconds),
  idle_tail_seconds: millisInSeconds(idleTail),
  idle_tail_spend: inMoney(tailSpend),
  wakes,
})

const computeJson = (compute: AuditedCompute) => ({
  ...refFields(compute.ref, compute.projectName),
  ...sizingFields(compute.sizing),
  ...delayField(compute.delay),
  awake_share: compute.awakeShare,
  ...sumsJson(compute),
})

const auditedRecommendationJson = ({ projectName, recommendation }: AuditedRecommendation, baseUrl: string) =>
  recommendationJson(recommendation, {
    projectName,
    computeName: undefined,
    baseUrl,
    wakeLatency: undefined,
  })

const undecidedJson = ({ ref, projectName, delay, withheld, cost, spend }: UndecidedDelay) => {
  const alwaysOn = cost === 'autosuspend-off' ? spend : undefined
  return {
    ...withheldJson(ref, withheld, { projectName, computeName: undefined, alwaysOn }),
    ...delayField(delay),
    cost,
    spend_30_days: inMoney(spend),
  }
}

const findingJson = (finding: Finding) => {
  if (finding.kind === 'unused') return { kind: finding.kind, ...refFields(finding.ref, finding.projectName) }
  const { kind, name, keyId, days, unusedDays } = finding
  return { kind, name, key_id: keyId, days, unused_days: unusedDays ?? null }
}
