// What policies promise beside what comes: recommendations that the real journal and sender implement, followed up for four weeks.
import type { ComputeUsage } from '../../../src/local/control/usage/usage.ts'
import type { Change } from '../../../src/model/policy/change.ts'
import type { RecommendationsJson } from '../../../src/outputs/text/recommendation-schema.ts'
import { sumOf } from '../../../src/std/sum.ts'
import { seeded } from '../../simulation/seeded.ts'
import { idsOf } from '../../support/simulated-service.ts'
import { loadSeriesOf } from '../load-series-of.ts'
import type { Figures } from '../run.ts'
import type { AdviceOptions } from './advice.ts'
import { delayOf } from './judge-delays.ts'
import { recordedLives, type LifeOfCompute } from './lives.ts'
import { goalsOf, loadReadings, loadsOf } from './loads.ts'
import { DAY, runAccount, START } from './run-account.ts'
import type { RunningAccount } from './running-account.ts'
import { trueSaving } from './true-gaps.ts'

/** Computes unless asked for another number. */
const SERIES = 40
/** Days after which policies apply what is recommended. */
const APPLIED_AFTER = 14
const FOLLOW_UP = 28
/** A delay is set while its compute is awake, which may be days later. */
const SLACK = 4
const DAYS = APPLIED_AFTER + FOLLOW_UP + SLACK

/** Without the brakes of pace: all computes are of one account and change on one day. */
const APPLY = `
mode: apply
brakes: { fleet_share: 1, fleet_per_hour: 1000, fleet_in_flight: 100 }
policies: [{ levers: [delay, sizing] }]
`

/** At the start, of one compute after the other, CU: fixed sizes, and a range by which the account's utilisation is known. */
const SIZES = [{ minCu: 2 }, { minCu: 1 }, { minCu: 4 }, { minCu: 0.25, maxCu: 2 }, { minCu: 2 }]

const KINDS = ['delay', 'sizing'] as const
type Kind = (typeof KINDS)[number]
type RecommendationJson = RecommendationsJson['recommendations'][number]

export async function promises({
  traces,
  series = SERIES,
}: Pick<AdviceOptions, 'traces' | 'series'>): Promise<Figures> {
  const span = DAYS * DAY
  const lives = recordedLives(traces, { count: series, span }).map((life, at) => ({
    ...life,
    ...SIZES[at % SIZES.length],
  }))
  const loads = loadsOf(lives, { series: loadSeriesOf(traces), span })
  let document: RecommendationsJson | undefined
  let changes: readonly Change[] = []
  let usages: readonly ComputeUsage[] = []
  const dayEnded = async (day: number, account: RunningAccount) => {
    if (day === APPLIED_AFTER) account.configure(APPLY)
    if (day < DAYS) return
    document = await account.recommendations('implemented')
    changes = await account.changes()
    usages = account.service.usages(START + 1000 * span)
  }
  await runAccount({
    lives,
    days: DAYS,
    sendsChanges: true,
    scripts: loads.map((load, at) => goalsOf(load, { at, start: START })),
    readings: (service, clock) => loadReadings({ service, clock, random: seeded(2), loads, start: START }),
    dayEnded,
  })
  if (!document) throw new Error('the days have not ended')
  const { recommendations } = document
  const judged = KINDS.map((kind) => ({ kind, ...judge(recommendations, kind) }))
  const done = changes.filter(({ state }) => state.at === 'done')
  const delays = finishedOf(recommendations, 'delay').map((one) => trueRealised(lives, one))
  const sizes = finishedOf(recommendations, 'sizing').map((one) => trueResized(usages, one))
  return {
    rows: [
      [`${lives.length} computes, ${DAYS} days`, 'measured', 'goal'],
      ['changes made, done', `${changes.length}, ${done.length}`, ''],
      ...judged.flatMap((one) => rowsOf(one)),
      ['delay: realised by the true activity / likely', ratioText(ratioOf(delays)), '0.75 to 1.35'],
      ['  inside [low, high]', shareText(delays), '70 to 95 %'],
      ['sizing: realised by the service / likely', ratioText(ratioOf(sizes)), '0.75 to 1.35'],
      ['  inside [low, high]', shareText(sizes), '70 to 95 %'],
    ],
    json: {
      series: lives.length,
      changes: changes.length,
      done: done.length,
      ...Object.fromEntries(
        judged.flatMap(({ kind, stated }) => [
          [`${kind}_finished`, stated.length],
          [`${kind}_inside`, stated.filter(isInside).length],
          [`${kind}_realised_by_likely`, ratioOf(stated)],
        ]),
      ),
      delay_true_inside: delays.filter(isInside).length,
      delay_true_realised_by_likely: ratioOf(delays),
      sizing_true_inside: sizes.filter(isInside).length,
      sizing_true_realised_by_likely: ratioOf(sizes),
    },
  }
}

/** Micros in 30 days. */
type Outcome = Readonly<{ low: number; likely: number; high: number; realised: number }>

type Judged = Readonly<{ kind: Kind; implemented: number; stated: readonly Outcome[] }>

function judge(recommendations: readonly RecommendationJson[], kind: Kind): Omit<Judged, 'kind'> {
  const stated = finishedOf(recommendations, kind).map((one) => ({
    ...promisedOf(one),
    realised: realisedOf(one)?.likely ?? 0,
  }))
  return { implemented: recommendations.filter((one) => one.kind === kind).length, stated }
}

const realisedOf = ({ ended }: RecommendationJson) => ended?.realised_micros_per_30_days ?? undefined

/** Whose follow-up has ended. */
const finishedOf = (recommendations: readonly RecommendationJson[], kind: Kind) =>
  recommendations.filter((one) => one.kind === kind && realisedOf(one) !== undefined)

/** The same saving, from the activity that the compute lived by. */
function trueRealised(lives: readonly LifeOfCompute[], one: RecommendationJson): Outcome {
  const life = lives.find((_, at) => idsOf(at).endpointId === one.endpoint_id)
  if (!life) throw new Error(`nobody lives as ${one.endpoint_id}`)
  const from = (implementedAt(one) - START) / 1000
  const within = { from, to: from + FOLLOW_UP * DAY }
  const saved = trueSaving(life, { from: delayOf({ to: one.from }), to: delayOf(one) }, within)
  const perSecond = (one.grounds.cu.likely * one.grounds.price_micros_per_cu_hour) / 3600
  return { ...one.saving_micros_per_30_days, realised: (saved * perSecond * 30) / FOLLOW_UP }
}

/** Old size over the awake time that the service metered, less what it metered. */
function trueResized(usages: readonly ComputeUsage[], one: RecommendationJson): Outcome {
  const usage = usages.find(({ endpointId }) => endpointId === one.endpoint_id)
  if (!usage) throw new Error(`${one.endpoint_id} was never awake`)
  const from = implementedAt(one)
  const within = { from, to: from + 1000 * FOLLOW_UP * DAY }
  const { min_cu: least = 0, max_cu: most = 0 } = one.from
  const saved = sumOf(usage.intervals, ({ from: begin, to = within.to, cu }) => {
    const part = Math.max(0, Math.min(to, within.to) - Math.max(begin, within.from))
    return part * (Math.min(most, Math.max(least, cu)) - cu)
  })
  const perHour = one.grounds.price_micros_per_cu_hour
  const realised = ((saved / 3_600_000) * perHour * 30) / FOLLOW_UP
  return { ...promisedOf(one), realised }
}

/** Beside the other setting, where both changed. */
const promisedOf = ({ saving_micros_per_30_days: saving, ended }: RecommendationJson) =>
  ended?.promised_micros_per_30_days ?? saving

const implementedAt = (one: RecommendationJson): number => Date.parse(one.ended?.at ?? '')

const isInside = ({ low, high, realised }: Outcome) => realised >= low && realised <= high

const ratioOf = (outcomes: readonly Outcome[]): number => {
  const likely = sumOf(outcomes, (one) => one.likely)
  return likely === 0 ? 0 : sumOf(outcomes, ({ realised }) => realised) / likely
}

const ratioText = (ratio: number) => ratio.toFixed(2)

const shareText = (outcomes: readonly Outcome[]) =>
  outcomes.length === 0
    ? 'none finished'
    : `${((100 * outcomes.filter(isInside).length) / outcomes.length).toFixed(1)} % of ${outcomes.length}`

const rowsOf = ({ kind, implemented, stated }: Judged): Figures['rows'] => [
  [`${kind}: implemented, finished`, `${implemented}, ${stated.length}`, ''],
  ['  realised / likely', ratioText(ratioOf(stated)), '0.75 to 1.35'],
  ['  inside [low, high]', shareText(stated), '70 to 95 %'],
]
