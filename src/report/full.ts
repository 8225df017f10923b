// A report as the main part of a page: each section with its chart, if it has one, and its tables.
import { fromIso } from '../model/time.ts'
import { instant } from '../model/units.ts'
import { toldRows, type Block, type Cell, type Column, type Section, type Table } from './blocks.ts'
import { dayText } from './dates.ts'
import { fanSvg } from './fan.ts'
import { html, type Html, type Part } from './markup.ts'
import { shownName } from './names.ts'
import { pageOf } from './page.ts'
import type { Report } from './schema.ts'
import { NOBODYS } from './sections/spend.ts'
import { barsSvg, type Bars } from './svg.ts'
import { amount, money, percent } from './words.ts'

/** @param most rows of each table */
export function reportHtml(report: Report, most: number): Html {
  const { title, lead, sections } = pageOf(report)
  const [verdict = '', ...about] = lead
  return html`<h1><bdi>${title}</bdi></h1>
    <p class="lead"><bdi>${verdict}</bdi></p>
    ${about.map((words) => html`<p class="about"><bdi>${words}</bdi></p>`)}
    ${sections.map((section) => sectionHtml(section, { chart: CHARTS[section.id]?.(report), most }))}`
}

function sectionHtml(
  { id, title, blocks }: Section,
  { chart, most }: { readonly chart: Part; readonly most: number },
): Html {
  return html`<section id="${id}">
    <h2>${title}</h2>
    ${chart}${blocks.map((block, index) => blockHtml(block, { label: index === 0 ? title : `${title}, ${index + 1}`, most }))}
  </section>`
}

type Told = { readonly label: string; readonly most: number }

const blockHtml = (block: Block, told: Told): Html =>
  block.kind === 'text' ? html`<p><bdi>${block.text}</bdi></p>` : tableHtml(block, told)

function tableHtml(table: Table, { label, most }: Told): Html {
  const { rows, rest } = toldRows(table, most)
  // bars are in the chart
  const shown = table.columns.flatMap((column, index) =>
    rows.some((row) => typeof row[index] === 'object') ? [] : [{ column, index }],
  )
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}">
      <table>
        ${
          shown.some(({ column }) => column.title !== '') &&
          html`<thead>
            <tr>
              ${shown.map(({ column }) => headHtml(column))}
            </tr>
          </thead>`
        }
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${shown.map(({ column, index }, place) => cellHtml(row[index] ?? '', column, place === 0))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${rest !== undefined && html`<p>${rest}</p>`}`
}

const kindOf = ({ align }: Column): string => (align === 'right' ? 'number' : '')

const headHtml = (column: Column): Html =>
  column.title === '' ? html`<td></td>` : html`<th scope="col" class="${kindOf(column)}">${column.title}</th>`

const cellHtml = (cell: Cell, column: Column, isFirst: boolean): Html =>
  isFirst
    ? html`<th scope="row"><bdi>${textOf(cell)}</bdi></th>`
    : html`<td class="${kindOf(column)}"><bdi>${textOf(cell)}</bdi></td>`

const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : percent(cell.bar))

/** On a telephone it is moved to be read, like the table under it. */
const barsHtml = (bars: Bars): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${bars.text}">${barsSvg(bars)}</div>`

/** Charts of groups or budgets. Doubled, they are longer than their tables. */
const MOST_CHARTED = 12
/** Letters of a label. Doubled, it leaves the chart. */
const LABEL = 18

const CHARTS: Readonly<Record<string, (report: Report) => Part>> = {
  spend: ({ spend: { days, week }, currency }) =>
    week.high > 0 &&
    html`<figure>
      ${barsHtml({
        text: `Spend on each day of the week, ${money(week.likely, currency)} in all`,
        bars: days.map(({ date, micros }) => ({
          label: dayText(date),
          text: money(micros, currency),
          value: micros,
        })),
      })}
    </figure>`,
  groups: ({ groups: { by, rows }, currency }) =>
    html`<figure>
      ${barsHtml({
        text: 'Spend of each group, and behind it that of the week before',
        bars: rows.slice(0, MOST_CHARTED).map(({ name, micros, before_micros: before }) => ({
          label: name === null ? NOBODYS[by] : shownName(name, LABEL),
          text: money(micros, currency),
          value: micros,
          before: before ?? undefined,
        })),
      })}
      <figcaption>
        <span class="key spent">this week</span> <span class="key before">the week before</span>
      </figcaption>
    </figure>`,
  budgets: ({ budgets, made_at: madeAt }) =>
    budgets !== null &&
    budgets.length > 0 &&
    html`<div class="fans">
      ${budgets
        .toSorted((a, b) => b.share - a.share)
        .slice(0, MOST_CHARTED)
        .map((budget) => budgetFigure(budget, madeAt))}
    </div>`,
}

type Budget = NonNullable<Report['budgets']>[number]

const at = (iso: string) => fromIso(iso) ?? instant(0)

function budgetFigure(budget: Budget, madeAt: string): Html {
  const { period, limit, spent, unit, forecast } = budget
  const name = shownName(budget.budget)
  const ahead = forecast ? `; at the end likely ${amount(forecast.p50, unit)}` : ''
  return html`<figure>
    ${fanSvg({
      period: { from: at(period.from), to: at(period.to) },
      now: at(madeAt),
      countedFrom: at(budget.counted_from),
      limit,
      spent,
      forecast: forecast ?? undefined,
      text: `${name}: ${amount(spent, unit)} of ${amount(limit, unit)} spent${ahead}`,
    })}
    <figcaption>
      <b><bdi>${name}</bdi></b>
      <span class="key spent">spent</span>
      ${forecast !== null && html`<span class="key likely">forecast</span>`}
      <span class="key limit">limit</span>
      <span class="key today">when it was made</span>
    </figcaption>
  </figure>`
}
