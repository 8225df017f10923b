import type { Audit } from '../../model/output/audit.ts'
import {
  COMPUTE_HEADINGS,
  computeLines,
  findingText,
  remainingFindingLines,
  totalLines,
  WEEK_HEADINGS,
  weekLines,
} from '../../outputs/text/audit-text.ts'
import { printable, textTable } from './output.ts'

/** The audit on a terminal. @param top how many computes are listed */
export function auditText(audit: Audit, top: number): string {
  const { findings, currency, byCompute } = audit
  const left = byCompute.length - Math.min(top, byCompute.length)
  return [
    textTable(['AUDIT', ''], totalLines(audit)),
    '',
    textTable(WEEK_HEADINGS, weekLines(audit)),
    '',
    textTable(COMPUTE_HEADINGS, computeLines(audit, top)),
    ...(left > 0 ? [`and ${left} more; --top ${byCompute.length} lists all`] : []),
    '',
    findings.length === 0 ? 'FINDINGS: none' : 'FINDINGS, in 30 days',
    ...findings.slice(0, top).map((finding) => printable(`- ${findingText(finding, currency)}`)),
    ...remainingFindingLines(findings.slice(top), currency).map((line) => `and ${line}`),
  ].join('\n')
}
