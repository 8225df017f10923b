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
  amountOf: (value: number) => string
  dayOf: Zone['dayOf']
}>

type FigureTexts = Readonly<{ before?: HtmlPart; nowText: string; after?: HtmlPart }>

export function forecastFanFigure(fan: ForecastFan, { before, nowText, after }: FigureTexts): Html {
  const { period, countedFrom, limit, spent, forecast, amountOf, dayOf } = fan
  const date = (at: Instant) => dayText(dayOf(at).date)
  const isLater = countedFrom > period.from && date(countedFrom) !== date(period.from)
  return html`<figure>
    ${fanSvg(fan)}
    <p class="ends"><span>${date(period.from)}</span> <span>${date(period.to)}</span></p>
    <figcaption>
      ${before}
      <span class="key spent">spent ${amountOf(spent)}${isLater && ` since ${date(countedFrom)}`}</span>
      ${forecast && html`<span class="key likely">forecast ${forecastText(forecast, amountOf)}</span>`}
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

/** Lines are straight: only the amounts of today and of the end are known. */
function fanSvg(fan: ForecastFan) {
  const { period, now, countedFrom, limit, spent, forecast } = fan
  const most = Math.max(limit, spent, forecast?.p90 ?? 0, Number.MIN_VALUE)
  const length = period.to - period.from
  const x = (at: number) => Math.round((WIDTH * Math.min(Math.max(at - period.from, 0), length)) / length)
  const y = (amount: number) => Math.round(HEIGHT - ((HEIGHT - MARGIN) * amount) / most)
  const today = `${x(now)} ${y(spent)}`
  const band =
    forecast &&
    html`<path class="band" d="M${today}L${WIDTH} ${y(forecast.p90)}V${y(forecast.p10)}Z" /><path
        class="likely"
        d="M${today}L${WIDTH} ${y(forecast.p50)}"
      />`
  return html`<svg class="fan" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
    <title>${altText(fan)}</title>
    <path class="axis" d="M0 ${HEIGHT}H${WIDTH}" />
    ${band}
    <path class="spent" d="M${x(countedFrom)} ${y(0)}L${today}" />
    <path class="today" d="M${x(now)} 0V${HEIGHT}" />
    <path class="limit" d="M0 ${y(limit)}H${WIDTH}" />
  </svg>`
}
