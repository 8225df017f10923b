// How a period may end: what is spent, and the range of the forecast, against the limit.
import type { Interval } from '../model/time.ts'
import type { Instant } from '../model/units.ts'
import { html, type Html } from './markup.ts'

/** Amounts are in one unit, whichever. */
export type Fan = {
  readonly period: Interval
  readonly now: Instant
  readonly countedFrom: Instant
  readonly limit: number
  readonly spent: number
  readonly forecast: { readonly p10: number; readonly p50: number; readonly p90: number } | undefined
  /** What it says in words. */
  readonly text: string
}

const WIDTH = 320
const HEIGHT = 120
/** Above the largest amount. */
const AIR = 12

/** Lines are straight: only the amount of today and those of the end are given. */
export function fanSvg(fan: Fan): Html {
  const { period, now, countedFrom, limit, spent, forecast } = fan
  const most = Math.max(limit, spent, forecast?.p90 ?? 0, Number.MIN_VALUE)
  const x = (at: number): number =>
    Math.round(
      (WIDTH * Math.min(Math.max(at - period.from, 0), period.to - period.from)) / (period.to - period.from),
    )
  const y = (amount: number): number => Math.round(HEIGHT - ((HEIGHT - AIR) * amount) / most)
  const today = `${x(now)} ${y(spent)}`
  const ahead =
    forecast &&
    html`<path class="band" d="M${today}L${WIDTH} ${y(forecast.p90)}V${y(forecast.p10)}Z" /><path
        class="likely"
        d="M${today}L${WIDTH} ${y(forecast.p50)}"
      />`
  return html`<svg class="fan" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
    <title>${fan.text}</title>
    <path class="axis" d="M0 ${HEIGHT}H${WIDTH}" />
    ${ahead}
    <path class="spent" d="M${x(countedFrom)} ${y(0)}L${today}" />
    <path class="today" d="M${x(now)} 0V${HEIGHT}" />
    <path class="limit" d="M0 ${y(limit)}H${WIDTH}" />
  </svg>`
}
