import type {
  Audit,
  AuditedRecommendation,
  AuditSums,
  Finding,
  UndecidedDelay,
} from '../../model/output/audit.ts'
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import { toIso, toIsoSecond } from '../../model/time.ts'
import { HOUR } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import {
  budgetAmountText,
  exactDurationText,
  countWithNoun,
  hoursText,
  inBrackets,
  moneyColumn,
  moneyText,
  percentText,
  rangeText,
  sizeRangeText,
  spanText,
} from './amounts.ts'
import { recommendationJson, withheldJson } from './recommendation-json.ts'
import { recommendationSummary } from './recommendation-text.ts'
import { withheldText } from './withheld-text.ts'

export type TextRow = readonly string[]

export function totalLines({ total, currency, ...audit }: Audit): readonly TextRow[] {
  const { awake, idleTail, tailSpend, wakes, cuTime } = total
  return [
    ['period', `${toIsoSecond(audit.from)} to ${toIsoSecond(audit.to)}`],
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
  const money = moneyColumn(
    weeks.map(({ spend }) => spend),
    currency,
  )
  return weeks.map(({ from, spend, awake, wakes }) => [
    toIso(from).slice(0, 10),
    money(spend),
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

export function computeLines({ byCompute, currency }: Audit, limit: number): readonly TextRow[] {
  const shown = byCompute.slice(0, limit)
  const money = moneyColumn(
    shown.map(({ spend }) => spend.likely),
    currency,
  )
  return shown.map((compute) => [
    `${compute.projectName} / ${compute.ref.endpointId}`,
    money(compute.spend.likely),
    hoursText(compute.awake.likely),
    percentText(compute.awakeShare),
    compute.awake.likely === 0 ? '-' : percentText(compute.idleTail / compute.awake.likely),
    String(compute.wakes),
    sizeRangeText(compute.sizing, '-'),
    delayText(compute.delay),
  ])
}

const delayText = (delay: AutosuspendDelay) => (delay === 'never' ? 'never' : exactDurationText(delay))

/** Line with project, compute and the summary that all outputs have. */
export function auditedRecommendationText(
  { projectName, recommendation }: AuditedRecommendation,
  currency: string,
): string {
  const json = recommendationJson(recommendation, { ...NO_CONTEXT, projectName })
  return `${projectName} / ${recommendation.ref.endpointId}: ${recommendationSummary(json, currency)}`
}

const NO_CONTEXT = { computeName: undefined, baseUrl: '', wakeLatency: undefined }

/** What it costs until it can be judged, why it cannot be yet, and when. */
export function undecidedText(undecided: UndecidedDelay, currency: string): string {
  const { ref, projectName, withheld, spend } = undecided
  const reason = withheldText(
    withheldJson(ref, withheld, { projectName, computeName: undefined, alwaysOn: undefined }),
    currency,
  )
  return `${projectName} / ${ref.endpointId}: ${costText(undecided)}, ${moneyText(spend, currency)}; ${reason}`
}

function costText({ cost, delay }: UndecidedDelay) {
  switch (cost) {
    case 'autosuspend-off':
      return 'autosuspend is off'
    case 'always-awake':
      return `never suspended in 14 days, with a delay of ${delayText(delay)}`
    case 'idle-tails':
      return `idle tails of ${delayText(delay)}`
  }
}

export function findingText(finding: Finding): string {
  switch (finding.kind) {
    case 'unused':
      return `${finding.projectName} / ${finding.ref.endpointId} was not used in the whole period`
    case 'old-key': {
      const { name, keyId, days, unusedDays: unused } = finding
      const used = unused === undefined ? 'never used' : `last used ${countWithNoun(unused, 'day')} ago`
      return `API key ${name} (${keyId}) is ${countWithNoun(days, 'day')} old, ${used}`
    }
  }
}

/** Sections of the text after its tables: heading, lines, and a line in place of those above `limit`. */
export function findingSections(audit: Audit, limit: number): readonly TextRow[] {
  const { recommendations, undecided, findings, currency } = audit
  const sections = [
    section('RECOMMENDATIONS', {
      lines: recommendations.map((one) => auditedRecommendationText(one, currency)),
      limit,
    }),
    section('NOT DECIDED YET, with what it costs in 30 days; a running daemon has the answers then', {
      lines: undecided.map((one) => undecidedText(one, currency)),
      limit,
      worth: (from) =>
        `, together ${moneyText(
          sumOf(undecided.slice(from), ({ spend }) => spend),
          currency,
        )}`,
    }),
    section('OTHER FINDINGS', { lines: findings.map(findingText), limit }),
  ].filter((lines) => lines.length > 0)
  return sections.length === 0 ? [['FINDINGS: none']] : sections
}

type Listed = Readonly<{
  lines: readonly string[]
  limit: number
  /** Text on the money of the lines from an index on. */
  worth?: (from: number) => string
}>

function section(heading: string, { lines, limit, worth }: Listed): TextRow {
  if (lines.length === 0) return []
  const remaining = lines.length - limit
  return [
    heading,
    ...lines.slice(0, limit).map((line) => `- ${line}`),
    ...(remaining > 0
      ? [`and ${remaining} more${worth?.(limit) ?? ''}; --top ${lines.length} lists all`]
      : []),
  ]
}
