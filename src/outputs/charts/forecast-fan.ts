import type { SpentByDay } from '../../model/policy/budget.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Instant, Interval } from '../../model/units.ts'
import { html, type Html, type HtmlPart } from '../text/html.ts'
import { inBrackets, rangeText, dayText } from '../text/amounts.ts'

type ForecastRange = Readonly<{ p10: number; p50: number; p90: number }>

/** Amounts in the unit of the budget. */
type ForecastFan = Readonly<{
  name: string
  period: Interval
  now: Instant
  countedFrom: Instant
  limit: number
  spent: number
  forecast: ForecastRange | undefined
  /** The line is straight where it is absent. */
  spentByDay?: SpentByDay | undefined
  amountOf: (value: number) => string
  dayOf: Zone['dayOf']
}>

type FigureTexts = Readonly<{ before?: HtmlPart; nowText: string; after?: HtmlPart }>

export function forecastFanFigure(fan: ForecastFan, { before, nowText, after }: FigureTexts): Html {
  const { period, countedFrom, limit, spent, spentByDay, forecast, amountOf, dayOf } = fan
  const date = (at: Instant) => dayText(dayOf(at).date)
  const isLater = countedFrom > period.from && date(countedFrom) !== date(period.from)
  return html`<figure>
    ${fanSvg(fan)}
    <p class="ends"><span>${date(period.from)}</span> <span>${date(period.to)}</span></p>
    <figcaption>
      ${before}
      <span class="key spent">spent ${amountOf(spent)}${isLater && ` since ${date(countedFrom)}`}</span>
      ${forecast && html`<span class="key likely">forecast ${forecastText(forecast, amountOf)}</span>`}
      ${spentByDay && spentByDay.previous.length > 0 && html`<span class="key before">the period before ${amountOf(spentByDay.previous.at(-1) ?? 0)}</span>`}
      <span class="key limit">limit ${amountOf(limit)}</span>
      <span class="key today">${nowText}</span> ${after}
    </figcaption>
  </figure>`
}

const altText = ({ name, spent, limit, forecast, amountOf }: ForecastFan) =>
  `${name}: ${amountOf(spent)} of ${amountOf(limit)} spent` +
  (forecast ? `; at the end likely ${forecastText(forecast, amountOf)}` : '')

const forecastText = ({ p10, p50, p90 }: ForecastRange, amountOf: ForecastFan['amountOf']) =>
  `${amountOf(p50)}${inBrackets(rangeText({ low: p10, high: p90 }, amountOf))}`

const WIDTH = 320
const HEIGHT = 120
/** Space above the largest amount. */
const MARGIN = 12

/** Lines are straight between the ends of days, and from today to the end of the period. */
function fanSvg(fan: ForecastFan) {
  const { period, now, countedFrom, limit, spent, forecast, spentByDay } = fan
  const { current = [], previous = [] } = spentByDay ?? {}
  const most = Math.max(limit, spent, forecast?.p90 ?? 0, previous.at(-1) ?? 0, Number.MIN_VALUE)
  const length = period.to - period.from
  const x = (at: number) => Math.round((WIDTH * Math.min(Math.max(at - period.from, 0), length)) / length)
  const y = (amount: number) => Math.round(HEIGHT - ((HEIGHT - MARGIN) * amount) / most)
  const today = `${x(now)} ${y(spent)}`
  const dayEnds = endsOfDays(fan)
  const lineThrough = (sums: readonly number[]) =>
    dayEnds
      .slice(0, sums.length)
      .map((at, index) => ({ at, sum: sums[index] ?? 0 }))
      .map(({ at, sum }) => `L${x(at)} ${y(sum)}`)
      .join('')
  // a day may have been settled after the sum of the period
  const counted = current.map((sum) => Math.min(sum, spent))
  const band =
    forecast &&
    html`<path class="band" d="M${today}L${WIDTH} ${y(forecast.p90)}V${y(forecast.p10)}Z" /><path
        class="likely"
        d="M${today}L${WIDTH} ${y(forecast.p50)}"
      />`
  return html`<svg class="fan" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
    <title>${altText(fan)}</title>
    <path class="axis" d="M0 ${HEIGHT}H${WIDTH}" />
    ${previous.length > 0 && html`<path class="before" d="M0 ${y(0)}${lineThrough(previous)}" />`} ${band}
    <path class="spent" d="M${x(countedFrom)} ${y(0)}${lineThrough(counted)}L${today}" />
    <path class="today" d="M${x(now)} 0V${HEIGHT}" />
    <path class="limit" d="M0 ${y(limit)}H${WIDTH}" />
  </svg>`
}

/** Ends of the whole days of the period, as many as an amount is known for. */
function endsOfDays({ period, dayOf, spentByDay }: ForecastFan): readonly Instant[] {
  const count = Math.max(spentByDay?.current.length ?? 0, spentByDay?.previous.length ?? 0)
  const ends: Instant[] = []
  for (let at = period.from; ends.length < count;) ends.push((at = dayOf(at).to))
  return ends
}
