import type { Audit, AuditedCompute, AuditSums, Finding } from '../../model/output/audit.ts'
import { mapBounds } from '../../model/ledger/quantities.ts'
import { toIso } from '../../model/time.ts'
import {
  delayField,
  inMoney,
  millisInSeconds,
  refFields,
  sizingFields,
} from '../../outputs/text/compute-fields.ts'
import { jsonText } from './io.ts'

/** Lengths in seconds, money in units of the currency. */
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
      spend: inMoney(spend),
      awake_seconds: millisInSeconds(awake),
      wakes,
    })),
    by_compute: audit.byCompute.map(computeJson),
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

const findingJson = (finding: Finding) => {
  if (finding.kind === 'old-key') {
    const { kind, name, keyId, days, unusedDays } = finding
    return { kind, name, key_id: keyId, days, unused_days: unusedDays ?? null }
  }
  const about = { kind: finding.kind, ...refFields(finding.ref, finding.projectName) }
  switch (finding.kind) {
    case 'never-sleeps':
      return {
        ...about,
        awake_share: finding.awakeShare,
        autosuspend_off: finding.autosuspendOff,
        spend_30_days: inMoney(finding.spend),
      }
    case 'long-delay':
      return {
        ...about,
        ...delayField(finding.delay),
        suspends_30_days: finding.suspends,
        idle_tail_seconds: millisInSeconds(finding.idleTail),
        saving_30_days: inMoney(finding.saving),
      }
    case 'unused':
      return about
  }
}
