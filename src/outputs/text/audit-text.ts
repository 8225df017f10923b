import type { Audit, AuditSums, Finding } from '../../model/output/audit.ts'
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import { toIso } from '../../model/time.ts'
import { HOUR, micros } from '../../model/units.ts'
import {
  budgetAmountText,
  exactDurationText,
  countWithNoun,
  hoursText,
  inBrackets,
  moneyText,
  percentText,
  rangeText,
  sizeRangeText,
  spanText,
} from './amounts.ts'

export type TextRow = readonly string[]

export function totalLines({ total, currency, ...audit }: Audit): readonly TextRow[] {
  const { awake, idleTail, tailSpend, wakes, cuTime } = total
  return [
    ['period', `${toIso(audit.from)} to ${toIso(audit.to)}`],
    ['projects, computes', `${audit.projects}, ${audit.computes}`],
    ['spend', spendText(total, currency)],
    [
      '',
      `${percentText(audit.counted)} of it from the metering of the service, the rest from its operations`,
    ],
    ['awake', `${spanText(awake.likely)}, ${budgetAmountText(cuTime.likely / HOUR, 'cu_hours')}`],
    [
      'idle tails',
      `${spanText(idleTail)}, ${moneyText(tailSpend, currency)}: awake after the last activity, waiting for the delay`,
    ],
    ['wakes', String(wakes)],
  ]
}

function spendText({ spend }: AuditSums, currency: string) {
  const textOf = (value: number) => moneyText(value, currency)
  const isCertain = spend.high - spend.low <= 0.01 * spend.likely
  return `${textOf(spend.likely)}${isCertain ? '' : inBrackets(rangeText(spend, textOf))}`
}

export const WEEK_HEADINGS = ['WEEK FROM', 'SPEND', 'AWAKE', 'WAKES', '']
/** Characters of the longest bar. */
const BAR = 30

export function weekLines({ weeks, currency }: Audit): readonly TextRow[] {
  const largest = Math.max(1, ...weeks.map(({ spend }) => spend))
  return weeks.map(({ from, spend, awake, wakes }) => [
    toIso(from).slice(0, 10),
    moneyText(spend, currency),
    hoursText(awake),
    String(wakes),
    '#'.repeat(Math.round((BAR * spend) / largest)),
  ])
}

export const COMPUTE_HEADINGS = [
  'COMPUTE',
  'SPEND',
  'AWAKE',
  'OF THE TIME',
  'IDLE TAIL',
  'WAKES',
  'CU',
  'DELAY',
]

export const computeLines = ({ byCompute, currency }: Audit, limit: number): readonly TextRow[] =>
  byCompute
    .slice(0, limit)
    .map((compute) => [
      `${compute.projectName} / ${compute.ref.endpointId}`,
      moneyText(compute.spend.likely, currency),
      hoursText(compute.awake.likely),
      percentText(compute.awakeShare),
      compute.awake.likely === 0 ? '-' : percentText(compute.idleTail / compute.awake.likely),
      String(compute.wakes),
      sizeRangeText(compute.sizing, '-'),
      delayText(compute.delay),
    ])

const delayText = (delay: AutosuspendDelay) => (delay === 'never' ? 'never' : exactDurationText(delay))

/** Amounts are for 30 days. */
export function findingText(finding: Finding, currency: string): string {
  switch (finding.kind) {
    case 'never-sleeps': {
      const { ref, projectName, awakeShare, autosuspendOff, spend } = finding
      const why = autosuspendOff ? 'autosuspend is off' : 'something uses it within every delay'
      return `${projectName} / ${ref.endpointId} never sleeps (awake ${percentText(awakeShare)} of the last 14 days): ${why}; it costs ${moneyText(spend, currency)}`
    }
    case 'long-delay': {
      const { ref, projectName, delay, suspends, idleTail, saving } = finding
      return (
        `${projectName} / ${ref.endpointId} waits ${delayText(delay)} before each suspension: ${suspends} times, ${spanText(idleTail)}; ` +
        `at 1 min it would cost at least ${moneyText(saving, currency)} less, and wake more often`
      )
    }
    case 'unused':
      return `${finding.projectName} / ${finding.ref.endpointId} was not used in the whole period`
    case 'old-key': {
      const { name, keyId, days, unusedDays: unused } = finding
      const used = unused === undefined ? 'never used' : `last used ${countWithNoun(unused, 'day')} ago`
      return `API key ${name} (${keyId}) is ${countWithNoun(days, 'day')} old, ${used}`
    }
  }
}

export function remainingFindingLines(findings: readonly Finding[], currency: string): readonly string[] {
  const sums = { 'never-sleeps': 0, 'long-delay': 0, unused: 0, 'old-key': 0 }
  const counts = { ...sums }
  for (const finding of findings) {
    counts[finding.kind] += 1
    if (finding.kind === 'never-sleeps') sums[finding.kind] += finding.spend
    if (finding.kind === 'long-delay') sums[finding.kind] += finding.saving
  }
  const worth = (kind: 'never-sleeps' | 'long-delay') => moneyText(micros(sums[kind]), currency)
  const lines: readonly (readonly [number, string])[] = [
    [counts['never-sleeps'], `more that never sleep: together ${worth('never-sleeps')}`],
    [counts['long-delay'], `more with a long delay: together at least ${worth('long-delay')} less at 1 min`],
    [counts.unused, 'more that were not used'],
    [counts['old-key'], 'more old API keys'],
  ]
  return lines.flatMap(([count, text]) => (count === 0 ? [] : [`${count} ${text}`]))
}
