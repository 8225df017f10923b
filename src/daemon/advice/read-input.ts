// Histories and earlier recommendations of one compute.
import { FOLLOW_UP } from '../../advise/follow-up.ts'
import type { AdviseInput } from '../../advise/input.ts'
import { COARSE_STEP, FINE_STEP } from '../../model/ledger/rollup.ts'
import type { ComputeAdvice, Recommendation, Withheld } from '../../model/policy/recommendation.ts'
import type { History, HistorySpan } from '../../model/ports/history.ts'
import type { ComputeRef, TargetRef } from '../../model/service/compute.ts'
import { after, DAY, instant, seconds, type Instant } from '../../model/units.ts'

export type AdviceHistory = Pick<
  History,
  'gaps' | 'settings' | 'days' | 'rollups' | 'intervals' | 'recommendations' | 'advice'
>

type Histories = Pick<AdviseInput, 'gaps' | 'settings' | 'days' | 'hours' | 'steps' | 'intervals'>

/** Days of history in an `AdviseInput`: of gaps and hours, of fine buckets, of settings. */
const RECENT = 35
const FINE = 14
const SETTINGS = 93

export async function readHistories(
  history: AdviceHistory,
  ref: ComputeRef,
  now: Instant,
): Promise<Histories> {
  const { account } = ref
  const last = (days: number) => ({ from: instant(now - days * DAY), to: now, computes: [ref] })
  return {
    gaps: await Array.fromAsync(history.gaps(account, last(RECENT))),
    settings: await readSettings(history, { ...last(SETTINGS), account }),
    days: await Array.fromAsync(history.days(account, last(RECENT))),
    hours: await Array.fromAsync(history.rollups(account, { ...last(RECENT), length: COARSE_STEP })),
    steps: await Array.fromAsync(history.rollups(account, { ...last(FINE), length: FINE_STEP })),
    intervals: await Array.fromAsync(history.intervals(account, last(RECENT))),
  }
}

/** Times of looks are upper bounds, by the whole seconds of the service's answers: what was seen lies so far ahead of now, at most. */
const AHEAD = seconds(60)

/** With those that the last look saw: they are in force now. */
async function readSettings(
  history: Pick<History, 'settings'>,
  { account, ...span }: HistorySpan & { readonly account: string },
): Promise<AdviseInput['settings']> {
  const { to: now } = span
  const read = await Array.fromAsync(history.settings(account, { ...span, to: after(now, AHEAD) }))
  return read.map((setting) => (setting.since > now ? { ...setting, since: now } : setting))
}

/** Recommendations that count now, and the reasons where there are none. */
export type AdviceOfCompute = Readonly<{
  recommendations: readonly Recommendation[]
  withheld: readonly Withheld[]
}>

/** Recommendations that count now, and the last evaluation. */
export async function readStoredAdvice(
  history: Pick<History, 'recommendations' | 'advice'>,
  ref: TargetRef,
  now: Instant,
): Promise<AdviceOfCompute & Pick<ComputeAdvice, 'made'>> {
  const rows = history.recommendations(ref.account, { targets: [ref], states: SHOWN_STATES })
  const recommendations = await Array.fromAsync(rows)
  const [advice] = await Array.fromAsync(history.advice(ref.account, { targets: [ref] }))
  return {
    recommendations: recommendations.filter((row) => isShown(row, now)),
    withheld: advice?.withheld ?? [],
    made: advice?.made ?? {},
  }
}

export const SHOWN_STATES = ['open', 'implemented', 'dismissed'] as const

/** Open, dismissed, or implemented within the time of two follow-ups: in the second the result of the first is shown. */
export const isShown = ({ life }: Recommendation, now: Instant): boolean =>
  life.state === 'open' ||
  life.state === 'dismissed' ||
  (life.state === 'implemented' && after(life.at, seconds(2 * FOLLOW_UP)) > now)
