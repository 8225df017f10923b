import { createUtc, createZone } from '../../../calendar/zone.ts'
import { fromIso } from '../../../model/time.ts'
import { instant } from '../../../model/units.ts'
import {
  limitRows,
  cellPlainText,
  type ReportBlock,
  type BlockCell,
  type ItemBlock,
  type ReportSection,
  type TableBlock,
} from '../blocks.ts'
import { computeNameHtml } from '../ownership.ts'
import { forecastFanFigure } from '../../charts/forecast-fan.ts'
import { breakable, html, type Html, type HtmlPart } from '../../text/html.ts'
import { displayName } from '../../text/display-name.ts'
import { buildOutline } from '../outline.ts'
import type { Report, ReportBudget } from '../schema.ts'
import { GROUP_NAMES } from '../sections/spend.ts'
import { tableHtml, type TableHeading } from '../../text/html-table.ts'
import { budgetAmountText, moneyText, percentText, dayText } from '../../text/amounts.ts'

export function renderPageHtml(report: Report, most: number): Html {
  const { title, lead, sections } = buildOutline(report)
  const [verdict = '', ...about] = lead
  return html`<h1><bdi>${title}</bdi></h1>
    <p class="lead"><bdi>${verdict}</bdi></p>
    ${about.map((words) => html`<p class="about"><bdi>${words}</bdi></p>`)}
    ${sections.map((section) => sectionHtml(section, { chart: CHARTS[section.id]?.(report), most }))}`
}

function sectionHtml(
  { id, title, blocks }: ReportSection,
  { chart, most }: Readonly<{ chart: HtmlPart; most: number }>,
) {
  return html`<section id="${id}">
    <h2>${title}</h2>
    ${chart}${blocks.map((block, index) => blockHtml(block, { label: index === 0 ? title : `${title}, ${index + 1}`, most }))}
  </section>`
}

type TableOptions = Readonly<{ label: string; most: number }>

function blockHtml(block: ReportBlock, options: TableOptions) {
  if (block.kind === 'text') return html`<p><bdi>${breakable(block.text)}</bdi></p>`
  return block.kind === 'item' ? itemHtml(block) : blockTable(block, options)
}

const itemHtml = ({ title, lines, code }: ItemBlock) =>
  html`<h3><bdi>${breakable(title)}</bdi></h3>
    <ul class="details">
      ${lines.map((line) => html`<li><bdi>${breakable(line)}</bdi></li>`)}
      ${code.map((line) => html`<li><code>${line}</code></li>`)}
    </ul>`

function blockTable(table: TableBlock, { label, most }: TableOptions) {
  const { rows, rest } = limitRows(table, most)
  // bars are left to the chart
  const columns = table.columns.flatMap(({ title, align }, index) => {
    const kind: TableHeading['kind'] = align === 'right' ? 'number' : 'words'
    return rows.some((row) => isBar(row[index] ?? '')) ? [] : [{ title, kind, index }]
  })
  return html`${tableHtml({
    label,
    columns,
    rows: rows.map((row) => columns.map(({ index }) => cellHtml(row[index] ?? ''))),
  })}
  ${rest.map((words) => html`<p>${words}</p>`)}`
}

const isBar = (cell: BlockCell) => typeof cell === 'object' && 'bar' in cell

const cellHtml = (cell: BlockCell): HtmlPart =>
  typeof cell === 'object' && 'computes' in cell
    ? cell.computes.map((compute, index) => html`${index > 0 && ', '}${computeNameHtml(compute)}`)
    : html`<bdi>${breakable(cellPlainText(cell, percentText))}</bdi>`

/** More charts would be longer than the tables. */
const MAX_CHARTED = 12
/** What fits beside the bars. */
const MAX_LABEL_LENGTH = 18

const CHARTS: Readonly<Record<string, (report: Report) => HtmlPart>> = {
  spend: ({ spend: { days, week }, currency }) =>
    week.high > 0 &&
    html`<figure>
      ${barsSvg({
        text: `Spend on each day of the week, ${moneyText(week.likely, currency)} in all`,
        bars: days.map(({ date, micros }) => ({
          label: dayText(date),
          text: moneyText(micros, currency),
          value: micros,
        })),
      })}
    </figure>`,
  groups: ({ groups: { by, rows }, currency }) =>
    html`<figure>
      ${barsSvg({
        text: 'Spend of each group, and behind it that of the week before',
        bars: rows.slice(0, MAX_CHARTED).map(({ name, micros, before_micros: before }) => ({
          label: name === null ? GROUP_NAMES[by].none : displayName(name, MAX_LABEL_LENGTH),
          text: moneyText(micros, currency),
          value: micros,
          before: before ?? undefined,
        })),
      })}
      <figcaption>
        <span class="key spent">this week</span> <span class="key before">the week before</span>
      </figcaption>
    </figure>`,
  budgets: (report) => {
    const { budgets } = report
    return (
      budgets !== null &&
      budgets.length > 0 &&
      html`<div class="fans">
        ${budgets
          .toSorted((a, b) => b.share - a.share)
          .slice(0, MAX_CHARTED)
          .map((budget) => budgetFigure(budget, report))}
      </div>`
    )
  },
}

const instantOf = (iso: string) => fromIso(iso) ?? instant(0)

function budgetFigure(budget: ReportBudget, { made_at: madeAt, zone }: Report) {
  const { period, limit, spent, unit, forecast } = budget
  const name = displayName(budget.budget)
  const resolved = createZone(zone)
  return forecastFanFigure(
    {
      name,
      period: { from: instantOf(period.from), to: instantOf(period.to) },
      now: instantOf(madeAt),
      countedFrom: instantOf(budget.counted_from),
      limit,
      spent,
      forecast: forecast ?? undefined,
      amountOf: (value) => budgetAmountText(value, unit),
      dayOf: (resolved.ok ? resolved.value : createUtc()).dayOf,
    },
    { before: html`<b><bdi>${name}</bdi></b>`, nowText: 'when it was made' },
  )
}

type Bar = Readonly<{
  label: string
  text: string
  value: number
  before?: number | undefined
}>

/** `text`: the alternative of the chart. */
type Bars = Readonly<{ bars: readonly Bar[]; text: string }>

/** Pixels: a line of text, and one or two bars. */
const ROW = 36
const ROW_WITH_BEFORE = 42

/** In percent of the largest, below labels and amounts: the chart is as wide as there is room, text stays legible on a phone. */
export function barsSvg({ bars, text }: Bars): Html {
  const most = Math.max(...bars.flatMap(({ value, before = 0 }) => [value, before]), Number.MIN_VALUE)
  const share = (value: number) => `${((100 * value) / most).toFixed(1)}%`
  const row = bars.some(({ before }) => before !== undefined) ? ROW_WITH_BEFORE : ROW
  return html`<svg class="bars" height="${row * bars.length}" role="img">
    <title>${text}</title>
    ${bars.map((bar, index) => barSvg(bar, index * row, share))}
  </svg>`
}

const barSvg = ({ label, text, value, before }: Bar, top: number, share: (value: number) => string) =>
  html`<text class="label" x="0" y="${top + 13}">${label}</text
    ><text class="amount" x="100%" y="${top + 13}">${text}</text
    ><rect
      class="spent"
      y="${top + 19}"
      width="${share(value)}"
      height="10"
    />${before !== undefined && html`<rect class="before" y="${top + 31}" width="${share(before)}" height="4" />`}`
