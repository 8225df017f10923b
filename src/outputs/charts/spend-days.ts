// Spend by day as stacked bars, the parts in the order of their sums.
import type { Zone } from '../../calendar/zone.ts'
import { micros, type Interval, type Micros } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { dayText, moneyColumn } from '../text/amounts.ts'
import { breakable, html, type Html } from '../text/html.ts'
import { tableHtml } from '../text/html-table.ts'
import { axisSvg } from './timeline.ts'

/** Parts by name; the empty name is that of everything without a name. */
export type SpendDay = Readonly<{ date: string; spend: ReadonlyMap<string, Micros> }>

/** Days of `span`, oldest first, without gaps. */
export type SpendDays = Readonly<{
  currency: string
  span: Interval
  days: readonly SpendDay[]
  /** What narrowed the amounts, in words; undefined where nothing did. */
  because?: string | undefined
}>

type Labels = Readonly<{
  title: string
  /** Name of the part without a name. */
  unnamed: string
  zone: Zone
}>

/** Parts with a colour of their own; the rest is one part. */
const MAX_PARTS = 5

type Part = Readonly<{
  /** Undefined: all others. */
  name: string | undefined
  amounts: readonly Micros[]
  sum: Micros
}>

/** Undefined where nothing was spent. */
export function spendDaysFigure(
  { currency, span, days, because }: SpendDays,
  labels: Labels,
): Html | undefined {
  const parts = partsOf(days)
  const total = sumOf(parts, ({ sum }) => sum)
  if (total === 0) return undefined
  const isSplit = parts.length > 1 || parts[0]?.name !== ''
  const nameOf = ({ name }: Part) => (name === undefined ? 'all others' : name || labels.unnamed)
  const most = Math.max(...days.map((_, index) => sumOf(parts, ({ amounts }) => amounts[index] ?? 0)))
  const money = moneyColumn(
    parts.map(({ sum }) => sum),
    currency,
  )
  return html`<figure class="spend-days">
    <svg class="days" viewBox="0 0 ${WIDTH * days.length} ${HEIGHT}" preserveAspectRatio="none" role="img">
      <title>${labels.title}: ${money(total)} in ${days.length} days, at most ${money(most)} a day</title>
      ${stackPaths(parts, days.length, most).map((path, index) => path !== '' && html`<path class="${classOf(parts[index], index)}" d="${path}" />`)}
    </svg>
    ${axisSvg(span, labels.zone)}
    <figcaption>
      ${labels.title}: ${money(total)} in ${days.length} days, at most ${money(most)} a
      day${because !== undefined && html`; ${because}`}.
      ${isSplit && parts.map((part, index) => html`<span class="key part ${classOf(part, index)}"><bdi>${breakable(nameOf(part))}</bdi> ${money(part.sum)}</span>`)}
    </figcaption>
    <details data-key="spend-days-${currency}">
      <summary>Show data</summary>
      ${tableHtml({
        label: labels.title,
        columns: [
          { title: 'Day', kind: 'name' },
          ...parts.map((part) => ({ title: isSplit ? nameOf(part) : 'Spend', kind: 'number' }) as const),
        ],
        rows: days
          .map(({ date }, index) => [
            dayText(date),
            ...parts.map(({ amounts }) => money(amounts[index] ?? 0)),
          ])
          .toReversed(),
      })}
    </details>
  </figure>`
}

/** The dearest first, those beyond `MAX_PARTS` together. */
function partsOf(days: readonly SpendDay[]): readonly Part[] {
  const names = [...new Set(days.flatMap(({ spend }) => [...spend.keys()]))]
  const parts = names
    .map((name) => partOf(name, (spend) => spend.get(name) ?? 0, days))
    .toSorted((a, b) => b.sum - a.sum)
  if (parts.length <= MAX_PARTS + 1) return parts
  const others = new Set(parts.slice(MAX_PARTS).map(({ name }) => name))
  const sumOfOthers = (spend: SpendDay['spend']) =>
    sumOf([...spend], ([name, amount]) => (others.has(name) ? amount : 0))
  return [...parts.slice(0, MAX_PARTS), partOf(undefined, sumOfOthers, days)]
}

function partOf(
  name: string | undefined,
  amountOf: (spend: SpendDay['spend']) => number,
  days: readonly SpendDay[],
): Part {
  const amounts = days.map(({ spend }) => micros(amountOf(spend)))
  return { name, amounts, sum: micros(sumOf(amounts, (amount) => amount)) }
}

const classOf = (part: Part | undefined, index: number) =>
  part?.name === undefined || index >= MAX_PARTS ? 'others' : `part-${index + 1}`

/** Width of a day with its gap, and height of the chart, in its own units. */
const WIDTH = 10
const BAR = 8
const HEIGHT = 100

/** For each part one path of rectangles, from the bottom of the stack. */
function stackPaths(parts: readonly Part[], days: number, most: number): readonly string[] {
  const tops = Array.from({ length: days }, () => 0)
  return parts.map(({ amounts }) =>
    amounts
      .map((amount, day) => {
        const height = (HEIGHT * amount) / most
        tops[day] = (tops[day] ?? 0) + height
        const y = HEIGHT - (tops[day] ?? 0)
        return height < 0.05 ? '' : `M${WIDTH * day + 1} ${y.toFixed(1)}h${BAR}v${height.toFixed(1)}h-${BAR}z`
      })
      .join(''),
  )
}
