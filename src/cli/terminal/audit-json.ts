// The audit as JSON.
import type { Audit, AuditedCompute, AuditSums, Finding } from '../../model/output/audit.ts'
import { largestCu, smallestCu } from '../../model/service/compute.ts'
import type { Bounds } from '../../model/ledger/quantities.ts'
import { toIso } from '../../model/time.ts'
import { SECOND } from '../../model/units.ts'
import { jsonText } from './output.ts'

/** snake_case keys, times in ISO 8601, lengths in seconds, money in units of the currency. */
export const auditJson = (audit: Audit): string =>
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
      spend: spend / MONEY,
      awake_seconds: awake / SECOND,
      wakes,
    })),
    by_compute: audit.byCompute.map(computeJson),
    findings: audit.findings.map(findingJson),
  })

/** Micros in a unit of currency. */
const MONEY = 1_000_000

const scaled = ({ low, likely, high }: Bounds<number>, unit: number) => ({
  low: low / unit,
  likely: likely / unit,
  high: high / unit,
})

const sumsJson = ({ spend, awake, cuTime, idleTail, tailSpend, wakes }: AuditSums) => ({
  spend: scaled(spend, MONEY),
  awake_seconds: scaled(awake, SECOND),
  cu_seconds: scaled(cuTime, SECOND),
  idle_tail_seconds: idleTail / SECOND,
  idle_tail_spend: tailSpend / MONEY,
  wakes,
})

const computeJson = (compute: AuditedCompute) => ({
  project_id: compute.ref.projectId,
  project_name: compute.projectName,
  endpoint_id: compute.ref.endpointId,
  min_cu: smallestCu(compute.sizing),
  max_cu: largestCu(compute.sizing),
  autosuspend_delay_seconds: compute.delay,
  awake_share: compute.awakeShare,
  ...sumsJson(compute),
})

const findingJson = (finding: Finding) => {
  if (finding.kind === 'old-key') {
    const { kind, name, keyId, days, unusedDays } = finding
    return { kind, name, key_id: keyId, days, unused_days: unusedDays ?? null }
  }
  const { kind, ref, projectName } = finding
  const about = { kind, project_id: ref.projectId, project_name: projectName, endpoint_id: ref.endpointId }
  switch (finding.kind) {
    case 'never-sleeps':
      return {
        ...about,
        awake_share: finding.awakeShare,
        autosuspend_off: finding.autosuspendOff,
        spend_30_days: finding.spend / MONEY,
      }
    case 'long-delay':
      return {
        ...about,
        autosuspend_delay_seconds: finding.delay,
        suspends_30_days: finding.suspends,
        idle_tail_seconds: finding.idleTail / SECOND,
        saving_30_days: finding.saving / MONEY,
      }
    case 'unused':
      return about
  }
}
