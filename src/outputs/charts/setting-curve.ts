import { html, type Html } from '../text/html.ts'
import { tableHtml, headings } from '../text/html-table.ts'
import { moneyColumn, moneyText, shortNumber } from '../text/amounts.ts'
import type { RecommendationJson, SettingJson } from '../text/recommendation-schema.ts'
import { settingText } from '../text/recommendation-text.ts'

/** Point of the curve, a setting: money in 30 days, and wakes a day where they are known. */
type CurvePoint = Readonly<{
  setting: SettingJson
  money: number
  wakes: number | undefined
  role: 'now' | 'recommended' | 'other'
}>

/** The setting now, the recommended one and all others, from the shortest delay or the smallest size. */
export function curvePoints(one: RecommendationJson): readonly CurvePoint[] {
  const { from, to, effect, alternatives } = one
  const spend = one.spend_micros_per_30_days.likely
  const wakes = effect.wakes_per_day ?? undefined
  const points: readonly CurvePoint[] = [
    { setting: from, money: spend, wakes: wakes?.before, role: 'now' },
    {
      setting: to,
      money: spend - one.saving_micros_per_30_days.likely,
      wakes: wakes?.after,
      role: 'recommended',
    },
    ...alternatives.map((other) => ({
      setting: other.to,
      money: spend - other.saving_micros_per_30_days.likely,
      wakes: other.effect.wakes_per_day?.after,
      role: 'other' as const,
    })),
  ]
  const known = new Set<string>()
  return points
    .filter(({ setting }) => !known.has(settingText(setting)) && known.add(settingText(setting)))
    .toSorted((a, b) => orderOf(a.setting) - orderOf(b.setting))
}

const orderOf = ({ delay_seconds: delay, min_cu: min = 0, max_cu: max = 0 }: SettingJson) =>
  delay === undefined ? 1000 * max + min : delay === 'never' ? Number.POSITIVE_INFINITY : delay

/** A delay, and of defaults with the recommended size: other sizes are no points of its curve. */
const isOfDelay = ({ delay_seconds: delay, min_cu: min, max_cu: max }: SettingJson, to: SettingJson) =>
  delay !== undefined && min === to.min_cu && max === to.max_cu

const ROLES: Readonly<Record<CurvePoint['role'], string>> = {
  now: ' (now)',
  recommended: ' (recommended)',
  other: '',
}

/** Money and wakes of each setting: a table, and of three delays and more a chart. Undefined where nothing is compared. */
export function settingCurve(one: RecommendationJson, currency: string): Html | undefined {
  const points = curvePoints(one)
  if (one.alternatives.length === 0) return undefined
  const moneyTextOf = moneyColumn(
    points.map(({ money }) => money),
    currency,
  )
  const delays = points.filter(({ setting, role }) => role === 'now' || isOfDelay(setting, one.to))
  const hasCurve = one.to.delay_seconds !== undefined && delays.length > 2
  return html`${hasCurve && curveFigure(delays, currency)}
    <details data-key="curve-${one.id}">
      <summary>Show data</summary>
      ${tableHtml({
        label: `Settings compared by ${one.id}`,
        columns: headings({ Setting: 'name', 'Money in 30 days': 'number', 'Wakes a day': 'number' }),
        rows: points.map(({ setting, money, wakes, role }) => [
          `${settingText(setting)}${ROLES[role]}`,
          moneyTextOf(money),
          wakes === undefined ? 'not known' : shortNumber(wakes),
        ]),
      })}
    </details>`
}

const WIDTH = 320
const HEIGHT = 120
/** Space above the largest value, and on both sides. */
const MARGIN = 12

function curveFigure(points: readonly CurvePoint[], currency: string) {
  const x = (index: number) => Math.round(MARGIN + ((WIDTH - 2 * MARGIN) * index) / (points.length - 1))
  const line = (values: readonly (number | undefined)[], most: number) =>
    values
      .map((value, index) =>
        value === undefined ? '' : `${x(index)} ${Math.round(HEIGHT - ((HEIGHT - MARGIN) * value) / most)}`,
      )
      .filter(Boolean)
      .join('L')
  const mostMoney = Math.max(...points.map(({ money }) => money), Number.MIN_VALUE)
  const mostWakes = Math.max(...points.map(({ wakes = 0 }) => wakes))
  const at = points.findIndex(({ role }) => role === 'recommended')
  const money = line(
    points.map((point) => Math.max(0, point.money)),
    mostMoney,
  )
  const wakes =
    mostWakes > 0 &&
    line(
      points.map((point) => point.wakes),
      mostWakes,
    )
  const [first, last] = [points[0], points.at(-1)]
  return html`<figure>
    <svg class="fan" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
      <title>${curveText(points, currency)}</title>
      <path class="axis" d="M0 ${HEIGHT}H${WIDTH}" />
      <path class="today" d="M${x(at)} 0V${HEIGHT}" />
      <path class="spent" d="M${money}" />
      ${wakes && html`<path class="likely" d="M${wakes}" />`}
    </svg>
    <p class="ends">
      <span>${first && settingText(first.setting)}</span> <span>${last && settingText(last.setting)}</span>
    </p>
    <figcaption>
      <span class="key spent">money in 30 days, up to ${moneyText(mostMoney, currency)}</span>
      ${wakes && html`<span class="key likely">wakes a day, up to ${shortNumber(mostWakes)}</span>`}
      <span class="key today">recommended</span> The settings are apart by the same distance.
    </figcaption>
  </figure>`
}

const curveText = (points: readonly CurvePoint[], currency: string) =>
  points
    .map(
      ({ setting, money, wakes, role }) =>
        `${settingText(setting)}${ROLES[role]}: ${moneyText(money, currency)}${wakes === undefined ? '' : `, ${shortNumber(wakes)} wakes a day`}`,
    )
    .join('; ')
