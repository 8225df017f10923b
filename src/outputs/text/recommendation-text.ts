// Words and figures of recommendations, the same on the command line, on pages, in reports and in explanations.
import type { Bounds } from '../../model/ledger/quantities.ts'
import {
  inBrackets,
  countWithNoun,
  moneyText,
  percentText,
  priceText,
  rangeText,
  savingText,
  shortNumber,
  spanText,
  toSecond,
} from './amounts.ts'
import { culpritText } from './cause-text.ts'
import { defaultsLines } from './defaults-text.ts'
import { displayName } from './display-name.ts'
import type { NoWakeCosts, RecommendationJson, SettingJson } from './recommendation-schema.ts'
import { KIND_TEXTS, WITHHELD_TEXTS } from './withheld-text.ts'

/** `autosuspend off`, `300 s`, `0.25–2 CU`, `pooler on`; empty where no setting is meant. */
export function settingText({
  delay_seconds: delay,
  min_cu: min,
  max_cu: max,
  pooler_enabled: pooler,
}: SettingJson) {
  return [
    ...(delay === undefined ? [] : [delay === 'never' ? 'autosuspend off' : `${delay} s`]),
    ...(min === undefined || max === undefined ? [] : [`${min === max ? min : `${min}–${max}`} CU`]),
    ...(pooler === undefined ? [] : [`pooler ${pooler ? 'on' : 'off'}`]),
  ].join(', ')
}

/** What to do: `autosuspend off → 300 s`. */
export function recommendationTitle({ from, to, detail, kind }: Titled): string {
  const target = settingText(to)
  if (target !== '') return `${settingText(from)} → ${target}`
  switch (detail?.kind) {
    case 'awake-for-nothing':
      return `${FIX_TEXTS[detail.fix]}: ${clientText(detail)}`
    case 'unused':
      return detail.since === null
        ? UNUSED_TEXTS[detail.what]
        : `${UNUSED_TEXTS[detail.what]} since ${toSecond(detail.since)}`
    case 'refresh':
      return `${detail.rides_with === null ? 'restart it' : `with the ${KIND_TEXTS[detail.rides_with]}, start it anew`} for the updates of the service${detail.started_at === null ? '' : `: it runs since ${toSecond(detail.started_at)}`}`
    case 'pooler':
      return 'connect through the pooled host: direct connections come near their limit'
    case 'budget':
    case 'cache':
    case 'defaults':
    case undefined:
      return kind
  }
}

type Titled = Pick<RecommendationJson, 'from' | 'to' | 'detail' | 'kind'>
type Detail = NonNullable<RecommendationJson['detail']>
type AwakeForNothing = Detail & { readonly kind: 'awake-for-nothing' }

const FIX_TEXTS: Readonly<Record<AwakeForNothing['fix'], string>> = {
  'session-pooler': 'connect through the pooler, which ends idle sessions',
  'idle-timeout': 'let the client close idle sessions',
  'move-job': 'run the job less often, or outside of the database',
  'drop-slot': 'drop the replication slot',
  'end-transaction': 'end transactions that are left open',
}

const UNUSED_TEXTS: Readonly<Record<(Detail & { readonly kind: 'unused' })['what'], string>> = {
  'no-clients': 'delete it if nobody needs it: no client was active',
  replica: 'delete the replica if nobody needs it: nobody read from it',
  disabled: 'delete it if nobody needs it: it is disabled',
}

const clientText = ({ period_seconds: period, ...culprit }: AwakeForNothing) =>
  `${culpritText(culprit)}${period === null ? '' : `, every ${spanText(period * 1000)}`}`

/** The saving; of a setting that costs more also the wakes that it avoids. */
export function amountText(
  { saving_micros_per_30_days: saving, effect: { wakes_per_day: wakes } }: Valued,
  currency: string,
): string {
  const avoided = wakes && saving.likely < 0 ? wakes.before - wakes.after : 0
  const gain = avoided > 0 ? ` and avoids ${shortNumber(avoided)} wakes a day` : ''
  return `${savingText(saving, currency)}${gain}`
}

type Valued = Pick<RecommendationJson, 'saving_micros_per_30_days' | 'effect'>

/** Summary in one line; a setting that costs more says so first. */
export function recommendationSummary(recommendation: RecommendationJson, currency: string): string {
  const { saving_micros_per_30_days: saving, confidence } = recommendation
  const title = recommendationTitle(recommendation)
  const amount = amountText(recommendation, currency)
  const parts = saving.likely < 0 ? [amount, title] : [title, amount]
  return `${parts.join(': ')}; confidence ${confidence}`
}

/** All that people ask about it, a line each, without the request. */
export const recommendationLines = (
  recommendation: RecommendationJson,
  currency: string,
): readonly string[] => [
  ...reasonLines(recommendation),
  ...effectLines(recommendation),
  groundsText(recommendation, currency),
  ...alternativeLines(recommendation, currency),
  ...dismissedLines(recommendation, currency),
  stateText(recommendation, currency),
]

/** Budget or cache that asks for it, or what the defaults are judged by and apply to. */
function reasonLines({ detail, to }: Pick<RecommendationJson, 'detail' | 'to'>) {
  if (detail?.kind === 'defaults') return defaultsLines(to, detail)
  if (detail?.kind === 'budget')
    return [
      `the budget ${displayName(detail.name)} asks for the smaller maximum: its limit is spent, or forecast to be`,
    ]
  if (detail?.kind !== 'cache') return []
  const [hitRatio, goal] = [detail.hit_ratio, detail.target].map((share) => Number((100 * share).toFixed(2)))
  return [`the file cache is full and answers ${hitRatio} % of the accesses, less than ${goal} %`]
}

/** What people will notice. */
export function effectLines({
  effect,
  restarts,
  to,
}: Pick<RecommendationJson, 'effect' | 'restarts' | 'to'>) {
  const { wakes_per_day: wakes, wake_latency_seconds: latency, sessions_cut: cut, connections } = effect
  const throttled = throttledText(effect)
  return [
    ...(wakes
      ? [
          `${wakesText(wakes)}${latency === null ? '' : `; half of the wakes of its region take at most ${shortNumber(latency)} s`}`,
        ]
      : []),
    ...(cut === null || cut === 0
      ? []
      : [`each suspension cuts ${countWithNoun(Number(shortNumber(cut)), 'idle session')} of clients`]),
    ...(connections
      ? [`at most ${countWithNoun(connections.peak, 'connection')} seen, ${connections.limit} allowed then`]
      : []),
    ...(throttled === '' ? [] : [`by the readings ${throttled}`]),
    ...(settingText(to) === ''
      ? []
      : [restarts ? 'applying it restarts the compute' : 'applying it restarts nothing']),
  ]
}

/** `throttled 0.3 % of the awake time`; '' where nothing is known about it. */
const throttledText = ({ throttled_share: share }: Pick<RecommendationJson['effect'], 'throttled_share'>) =>
  share === null ? '' : `throttled ${shortNumber(100 * share)} % of the awake time`

export const wakesText = ({ before, after }: NonNullable<RecommendationJson['effect']['wakes_per_day']>) =>
  `wakes a day: ${shortNumber(before)} before, ${shortNumber(after)} after`

/** `rests on 21 days from … to …`. */
export function groundsText({ grounds }: Pick<RecommendationJson, 'grounds'>, currency: string): string {
  const { from, to, days, followed_share: followed, cu, price_micros_per_cu_hour: price, gaps } = grounds
  const count = Math.round(gaps.reduce((sum, [, , of]) => sum + of, 0))
  const size = `${cuText(cu.likely)} CU${inBrackets(rangeText(cu, cuText))}`
  return (
    `rests on ${daysText(days)} from ${from.slice(0, 10)} to ${to.slice(0, 10)}: ` +
    `activity followed ${percentText(followed)} of the time, ${countWithNoun(count, 'gap')}, ` +
    `${size} while awake at ${priceText(price, currency)} a CU-hour`
  )
}

/** `21 days`; below a day in hours, minutes or seconds. */
const daysText = (days: number) =>
  days < 1 ? spanText(days * 86_400_000) : countWithNoun(Number(shortNumber(days)), 'day')

const cuText = (size: number) => String(Number(size.toFixed(2)))

const LOST_TEXTS: Readonly<Record<RecommendationJson['alternatives'][number]['because'], string>> = {
  dearer: 'saves less',
  'wakes-more': 'wakes more often',
  unsure: 'is shorter than the gaps that were followed',
  restarts: 'restarts the compute',
  'hardly-better': 'is hardly better',
}

/** The curve on the page has all. */
const MAX_ALTERNATIVES = 3

/** The best ones that lost, each with the amount by which it did. */
function alternativeLines(
  { from, alternatives, saving_micros_per_30_days: best }: RecommendationJson,
  currency: string,
) {
  const others = alternatives.filter(({ to }) => settingText(to) !== settingText(from))
  const listed = others
    .toSorted((a, b) => b.saving_micros_per_30_days.likely - a.saving_micros_per_30_days.likely)
    .slice(0, MAX_ALTERNATIVES)
  const unlisted = others.length - listed.length
  return [
    ...listed.map((alternative) => alternativeText(alternative, best, currency)),
    ...(unlisted === 0 ? [] : [`${countWithNoun(unlisted, 'other setting')} lost by more`]),
  ]
}

function alternativeText(
  { to, saving_micros_per_30_days: saving, effect, because }: RecommendationJson['alternatives'][number],
  best: Bounds<number>,
  currency: string,
) {
  const difference = best.likely - saving.likely
  const amount = moneyText(Math.abs(difference), currency)
  const compared = difference === 0 ? 'as much' : `${amount} ${difference > 0 ? 'less' : 'more'}`
  const wakes = effect.wakes_per_day ? `, ${shortNumber(effect.wakes_per_day.after)} wakes a day` : ''
  const throttled = effect.throttled_share === null ? '' : `, ${throttledText(effect)}`
  const lost = because === 'dearer' && difference === 0 ? 'saves no more' : LOST_TEXTS[because]
  return `not ${settingText(to)}, because it ${lost}: it ${savingText(saving, currency)}, ${compared}${wakes}${throttled}`
}

/** Price of no wake inside each window. */
export const noWakeLines = (costs: ReturnType<NoWakeCosts['get']>, currency: string): readonly string[] =>
  (costs ?? []).map(
    ({ window, micros, wakes_per_day: wakes }) =>
      `no wake inside the window ${displayName(window)} costs ${moneyText(micros, currency)} more in 30 days and avoids ${shortNumber(wakes)} of the wakes a day`,
  )

/** Earlier dismissal, and what changed since; nothing where there was none. */
function dismissedLines(
  {
    dismissed_before: before,
    opened_at: openedAt,
    to,
    saving_micros_per_30_days: saving,
  }: RecommendationJson,
  currency: string,
) {
  // absent in reports of earlier versions
  if (!before) return []
  const hasEnded = before.until !== null && before.until <= openedAt
  const textOf = ({ likely }: Bounds<number>) => moneyText(likely, currency)
  const changes = [
    ...changeText('recommended setting', settingText(before.to), settingText(to)),
    ...changeText('likely saving in 30 days', textOf(before.saving_micros_per_30_days), textOf(saving)),
  ]
  return [
    `${before.id} was ${ENDED_TEXTS.dismissed({ ...before, promised_micros_per_30_days: null, realised_micros_per_30_days: null }, currency)}`,
    `since then: ${[...(hasEnded ? ['the dismissal has ended'] : []), ...changes].join('; ') || 'nothing else changed'}`,
  ]
}

const changeText = (name: string, before: string, now: string) =>
  before === now ? [] : [`${name} ${before} → ${now}`]

/** Its place in its life, with what came of it. */
export function stateText(
  { state, opened_at: openedAt, ended }: Pick<RecommendationJson, 'state' | 'opened_at' | 'ended'>,
  currency: string,
): string {
  return ended ? ENDED_TEXTS[state](ended, currency) : `open since ${toSecond(openedAt)}`
}

type Ended = NonNullable<RecommendationJson['ended']>

const ENDED_TEXTS: Readonly<Record<RecommendationJson['state'], (ended: Ended, currency: string) => string>> =
  {
    open: () => '',
    implemented: (
      { at, promised_micros_per_30_days: promised, realised_micros_per_30_days: realised },
      currency,
    ) =>
      realised
        ? `implemented at ${toSecond(at)}; really ${savingText(realised, currency)}${promisedText(promised, currency)}`
        : `implemented at ${toSecond(at)}; what it really saves is known 28 days later`,
    superseded: ({ at, because }) => `superseded at ${toSecond(at)} by ${because}`,
    withdrawn: ({ at, because }) =>
      `withdrawn at ${toSecond(at)}: ${WITHDRAWN_TEXTS[because ?? ''] ?? because}`,
    dismissed: ({ at, by, until, because }) =>
      `dismissed by ${by} at ${toSecond(at)}${until === null ? '' : ` until ${toSecond(until)}`}: ${because}`,
  }

const promisedText = (promised: Ended['promised_micros_per_30_days'], currency: string): string =>
  promised === null ? '' : `; ${moneyText(promised.likely, currency)} were likely beside other changes`

const WITHDRAWN_TEXTS: Readonly<Record<string, string>> = {
  ...WITHHELD_TEXTS,
  changed: 'the setting was changed to something else',
  deleted: 'the compute was deleted',
  'not-confirmed': 'it could not be confirmed for 7 days',
}
