import type { ReportFormat } from '../../../model/output/report.ts'
import { renderFullHtml } from './full-html.ts'
import { renderMailHtml } from './html.ts'
import { renderJson, computeChunks } from './json.ts'
import { renderSlack } from './slack.ts'
import { type ReportOutline, limitRows, cellPlainText } from '../blocks.ts'
import type { BlockCell, ItemBlock, ReportBlock } from '../blocks.ts'
import { buildOutline } from '../outline.ts'
import type { ReportChanges } from '../changes-schema.ts'
import type { Report, ReportCompute, ReportRecommendation } from '../schema.ts'
import { renderText } from './text.ts'
import { inMoney } from '../../text/compute-fields.ts'
import { changeTitle } from '../../text/change-text.ts'
import { recommendationTitle } from '../../text/recommendation-text.ts'
import { csvLine, type CsvCell } from '../../text/csv.ts'

type ReportRendering = Readonly<{
  contentType: string
  /** Without the dot. */
  ending: string
  /** Texts of at most 500 computes each. */
  render: (report: Report) => readonly string[]
}>

const fromOutline =
  (render: (outline: ReportOutline) => string): ReportRendering['render'] =>
  (report) => [render(buildOutline(report))]

export const REPORT_RENDERINGS: Readonly<Record<ReportFormat, ReportRendering>> = {
  markdown: {
    contentType: 'text/markdown; charset=utf-8',
    ending: 'md',
    render: fromOutline(renderMarkdown),
  },
  json: { contentType: 'application/json', ending: 'json', render: renderJson },
  text: { contentType: 'text/plain; charset=utf-8', ending: 'txt', render: fromOutline(renderText) },
  html: { contentType: 'text/html; charset=utf-8', ending: 'html', render: fromOutline(renderMailHtml) },
  'html-full': {
    contentType: 'text/html; charset=utf-8',
    ending: 'html',
    render: (report) => [renderFullHtml(report)],
  },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', ending: 'csv', render: renderCsv },
  slack: { contentType: 'application/json', ending: 'json', render: fromOutline(renderSlack) },
}

const COLUMNS: Readonly<Record<string, (compute: ReportCompute, report: Report) => CsvCell>> = {
  week: (_, { slot }) => slot.id,
  account: (_, { account }) => account,
  project_id: (compute) => compute.project_id,
  project_name: (compute) => compute.project_name,
  endpoint_id: (compute) => compute.endpoint_id,
  name: (compute) => compute.name,
  branch_id: (compute) => compute.branch_id,
  team: (compute) => compute.team,
  tier: (compute) => compute.tier,
  cost_centre: (compute) => compute.cost_centre,
  spend: ({ spend_micros: { likely } }) => inMoney(likely),
  spend_low: ({ spend_micros: { low } }) => inMoney(low),
  spend_high: ({ spend_micros: { high } }) => inMoney(high),
  spend_before: ({ spend_before_micros: before }) => (before === null ? null : inMoney(before)),
  currency: (_, { currency }) => currency,
  awake_seconds: (compute) => compute.awake_seconds,
  awake_share: (compute) => compute.awake_share,
  cu_seconds: (compute) => compute.cu_seconds,
  idle_tail_seconds: (compute) => compute.idle_tail_seconds,
  extension_seconds: (compute) => compute.extension_seconds,
  wakes: (compute) => compute.wakes,
  recommendation: (compute, report) => best(compute, report, recommendationTitle),
  recommendation_saving: (compute, report) =>
    best(compute, report, ({ saving_micros_per_30_days: { likely } }) => inMoney(likely)),
  change: (compute, report) => lastChange(compute, report, changeTitle),
  change_outcome: (compute, report) => lastChange(compute, report, ({ state }) => state),
}

type Ended = ReportChanges['listed'][number]

/** The last listed change of the compute that ended in the week; null without one. */
function lastChange(
  { project_id, endpoint_id }: ReportCompute,
  { changes }: Report,
  cell: (change: Ended) => CsvCell,
): CsvCell {
  const last = changes?.listed.find((one) => one.endpoint_id === endpoint_id && one.project_id === project_id)
  return last ? cell(last) : null
}

/** Best listed recommendation for the compute that saves most; null without one. */
function best(
  { project_id, endpoint_id }: ReportCompute,
  { recommendations }: Report,
  cell: (recommendation: ReportRecommendation) => CsvCell,
): CsvCell {
  const first = recommendations?.listed.find(
    (one) => one.endpoint_id === endpoint_id && one.project_id === project_id,
  )
  return first ? cell(first) : null
}

/** The header, then one text per 500 computes. */
export function renderCsv(report: Report): readonly string[] {
  const cells = Object.values(COLUMNS)
  return [
    csvLine(Object.keys(COLUMNS)),
    ...computeChunks(report).map((chunk) =>
      chunk.map((compute) => csvLine(cells.map((cell) => cell(compute, report)))).join(''),
    ),
  ]
}

export function renderMarkdown({ title, lead, sections }: ReportOutline): string {
  const sectionTexts = sections.flatMap((section) => [
    `## ${escaped(section.title)}`,
    ...section.blocks.map(blockText),
  ])
  return `${[`# ${escaped(title)}`, ...lead.map(escaped), ...sectionTexts].join('\n\n')}\n`
}

function blockText(block: ReportBlock) {
  if (block.kind === 'text') return escaped(block.text)
  if (block.kind === 'item') return itemText(block)
  const { rows, rest } = limitRows(block)
  const lines = [
    row(block.columns.map(({ title }) => escaped(title))),
    row(block.columns.map(({ align }) => (align === 'right' ? '--:' : '---'))),
    ...rows.map((cells) => row(cells.map(cellText))),
  ]
  return [lines.join('\n'), ...rest].join('\n\n')
}

const itemText = ({ title, lines, code }: ItemBlock) =>
  [
    `### ${escaped(title)}`,
    [...lines.map(escaped), ...code.map(codeText)].map((line) => `- ${line}`).join('\n'),
  ].join('\n\n')

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

const BAR_WIDTH = 20

const cellText = (cell: BlockCell) =>
  escaped(cellPlainText(cell, (share) => '█'.repeat(Math.round(BAR_WIDTH * share))))

/** Words with a mention, a mail address or a reference are code, which no reader turns into a link; others get backslashes, HTML entities. */
const escaped = (text: string) =>
  text
    .split(' ')
    .map((word) => (/[@#]/.test(word) ? codeText(word) : escapedWord(word)))
    .join(' ')

const escapedWord = (word: string) =>
  word
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_[\]|~]/g, '\\$&')

/** Delimited by more backticks than it has in a row. Source: GitHub Flavored Markdown, "Code spans" and "Tables". */
function codeText(word: string) {
  const longest = Math.max(0, ...[...word.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const space = longest === 0 ? '' : ' '
  return `${fence}${space}${word.replaceAll('|', String.raw`\|`)}${space}${fence}`
}
