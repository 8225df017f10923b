// Recommendations of single computes, worked by hand: all that a reader needs to compute the figures again.
import type { RecommendationsJson } from '../../../src/outputs/text/recommendation-schema.ts'
import { seeded } from '../../simulation/seeded.ts'
import { recomputed } from './check-recommendations.ts'
import type { OpenDelays } from './judge-delays.ts'
import type { LifeOfCompute } from './lives.ts'

type DelayJson = RecommendationsJson['recommendations'][number]
type DelayValue = number | 'never'

/** Markdown, one section a compute. Chance chooses `count` of them, the same in each run. */
export function workedByHand(lives: readonly LifeOfCompute[], delays: OpenDelays, count: number): string {
  const random = seeded(12)
  const drawn = [...delays]
    .map((delay) => ({ delay, order: random.unit() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, count)
  return drawn
    .map(({ delay: [at, recommendation] }) => section(lives[at]?.series ?? '', recommendation))
    .join('\n')
}

function section(series: string, recommendation: DelayJson): string {
  const { id, grounds, saving_micros_per_30_days: saving, confidence, effect, alternatives } = recommendation
  const [from, to] = [delayOf(recommendation.from), delayOf(recommendation.to)]
  const { savedSeconds, saving: computed, wakesBefore, wakesAfter } = recomputed(grounds, from, to)
  const { days, cu, price_micros_per_cu_hour: price } = grounds
  const { low, likely, high } = saving
  const curve = [...alternatives, recommendation].toSorted(
    (a, b) => rank(delayOf(a.to)) - rank(delayOf(b.to)),
  )
  return [
    `### ${series} (${id}): ${delayText(from)} → ${delayText(to)}`,
    '',
    `${grounds.from} to ${grounds.to}, ${days.toFixed(2)} days, followed ${(100 * grounds.followed_share).toFixed(1)} %, confidence ${confidence}.`,
    `Gaps (seconds: number): ${histogram(grounds.gaps)}`,
    '',
    `- Awake time saved in these gaps: ${savedSeconds.toFixed(0)} s.`,
    `- ${savedSeconds.toFixed(0)} s × 30 / ${days.toFixed(2)} days × ${cu.likely} CU × ${price} µ / 3600 s = ${computed.toFixed(0)} µ; stated ${likely} µ [${low}, ${high}].`,
    `- Wakes a day: ${wakesBefore.toFixed(2)} → ${wakesAfter.toFixed(2)}; stated ${wakesText(effect.wakes_per_day)}.`,
    '',
    '| delay | saving, µ in 30 days | wakes a day |',
    '|---|---|---|',
    ...curve.map((one) => {
      const mark = one === recommendation ? ' (recommended)' : ''
      return `| ${delayText(delayOf(one.to))}${mark} | ${one.saving_micros_per_30_days.likely} | ${one.effect.wakes_per_day?.after.toFixed(2)} |`
    }),
    '',
  ].join('\n')
}

const delayOf = ({ delay_seconds: delay }: DelayJson['to']): DelayValue => delay ?? 'never'
const rank = (delay: DelayValue) => (delay === 'never' ? Infinity : delay)
const delayText = (delay: DelayValue) => (delay === 'never' ? delay : `${delay} s`)
const wakesText = (wakes: DelayJson['effect']['wakes_per_day']) =>
  wakes ? `${wakes.before.toFixed(2)} → ${wakes.after.toFixed(2)}` : 'nothing'

const histogram = (gaps: DelayJson['grounds']['gaps']) =>
  gaps.map(([low, high, count]) => `${((low + high) / 2).toFixed(0)}: ${Number(count.toFixed(2))}`).join(', ')
