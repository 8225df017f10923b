// An independent check of delay recommendations: savings and wakes computed again from the grounds that their JSON states. It shares no
// code with Dormouse. `dormouse recommendations --json | node test/bench/advice/check-recommendations.ts` checks an account.
//
// 1. Observations leave a gap bounds, in which each length is as likely. Groups have gaps, or the part of a gap between two delays; a group
//    counts with the middle of its bounds.
// 2. Under a delay of T seconds a compute is awake for the first T seconds of a gap, or all of a shorter one. `never`: all of it.
// 3. Saving = awake seconds less, for 30 days in place of the days of the grounds, times the likely size, times the price.
// 4. Each gap longer than the delay ends with a wake.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

type Delay = number | 'never'
type SettingFields = { readonly delay_seconds?: Delay | undefined }
type Figures = {
  readonly saving_micros_per_30_days: Readonly<Record<'low' | 'likely' | 'high', number>>
  readonly effect: { readonly wakes_per_day: { readonly before: number; readonly after: number } | null }
}

/** Fields that the check reads. */
export type DelayFields = Figures & {
  readonly id: string
  readonly kind: string
  readonly from: SettingFields
  readonly to: SettingFields
  readonly grounds: {
    readonly days: number
    readonly cu: { readonly likely: number }
    readonly price_micros_per_cu_hour: number
    readonly gaps: readonly (readonly number[])[]
  }
  readonly alternatives: readonly (Figures & { readonly to: SettingFields })[]
}

export type Checked = {
  /** Settings whose figures were computed again: recommended ones and alternatives. */
  readonly settings: number
  readonly recommendations: number
  /** One line each. */
  readonly problems: readonly string[]
}

const SAVING_DAYS = 30
const TOLERANCE = 0.01

export function checkRecommendations(document: {
  readonly recommendations: readonly DelayFields[]
}): Checked {
  const delays = document.recommendations.filter(({ kind }) => kind === 'delay')
  return {
    recommendations: delays.length,
    settings: delays.reduce((sum, { alternatives }) => sum + 1 + alternatives.length, 0),
    problems: delays.flatMap((one) => [
      ...problemsOf(one, one),
      ...one.alternatives.flatMap((other) => problemsOf(one, other)),
    ]),
  }
}

function problemsOf(one: DelayFields, stated: Figures & { readonly to: SettingFields }): string[] {
  const [from, to] = [one.from.delay_seconds, stated.to.delay_seconds]
  if (from === undefined || to === undefined) return [`${one.id}: a delay recommendation without delays`]
  const { low, likely, high } = stated.saving_micros_per_30_days
  const wakes = stated.effect.wakes_per_day
  const computed = recomputed(one.grounds, from, to)
  const place = `${one.id} to ${to}`
  return [
    ...difference(`${place}: likely saving`, likely, computed.saving),
    ...difference(`${place}: wakes a day before`, wakes?.before ?? Number.NaN, computed.wakesBefore),
    ...difference(`${place}: wakes a day after`, wakes?.after ?? Number.NaN, computed.wakesAfter),
    ...(low <= likely && likely <= high ? [] : [`${place}: ${likely} is outside of ${low} to ${high}`]),
  ]
}

/** Micros in 30 days, wakes a day. */
export function recomputed(
  { days, cu, price_micros_per_cu_hour: price, gaps }: DelayFields['grounds'],
  from: Delay,
  to: Delay,
) {
  let [saved, wakesBefore, wakesAfter] = [0, 0, 0]
  for (const [low = 0, high = 0, count = 0] of gaps) {
    const length = (low + high) / 2
    saved += count * (awakeIn(length, from) - awakeIn(length, to))
    wakesBefore += count * Number(suspendsIn(length, from))
    wakesAfter += count * Number(suspendsIn(length, to))
  }
  return {
    savedSeconds: saved,
    saving: ((saved * SAVING_DAYS) / days) * cu.likely * (price / 3600),
    wakesBefore: wakesBefore / days,
    wakesAfter: wakesAfter / days,
  }
}

const awakeIn = (length: number, delay: Delay) => (delay === 'never' || length < delay ? length : delay)
const suspendsIn = (length: number, delay: Delay) => delay !== 'never' && length > delay

/** Amounts are whole micros: half of one is rounding. */
const difference = (what: string, stated: number, computed: number): string[] =>
  Math.abs(stated - computed) <= TOLERANCE * Math.abs(computed) + 0.5 * Number(what.endsWith('saving'))
    ? []
    : [`${what}: ${stated} is stated, ${computed} follows from the grounds`]

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const text = readFileSync(process.argv[2] ?? 0, 'utf8')
  const { recommendations, settings, problems } = checkRecommendations(JSON.parse(text))
  for (const problem of problems) console.log(problem)
  console.log(
    `${recommendations} delay recommendations, ${settings} settings checked, ${problems.length} problems`,
  )
  process.exitCode = problems.length > 0 ? 1 : 0
}
