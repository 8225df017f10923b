// What an implemented default delay saved: the old one replayed over the lives that came, less what was paid, as for one compute (follow-up.ts).
import { eachBound, mapBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { Recommendation } from '../../model/policy/recommendation.ts'
import { after, type Micros } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { duration } from '../../ledger/interval-math.ts'
import { FOLLOW_UP, meanRate, ordered, savedSeconds } from '../follow-up.ts'
import { moneyOf, SAVING_PERIOD } from '../interval.ts'
import { defaultDelayOf } from './advise-defaults.ts'
import type { DefaultsInput } from './input.ts'
import { shortLives } from './lives.ts'

/** Undefined before the follow-up has ended, where no such compute lived in it, and where somebody set another default. */
export function realisedDefaults(
  { from, to, life }: Recommendation,
  input: DefaultsInput,
): Bounds<Micros> | undefined {
  const isOver = life.state === 'implemented' && input.now >= after(life.at, FOLLOW_UP)
  const { delay: old } = from
  if (!isOver || old === undefined || defaultDelayOf(input) !== to.delay) return undefined
  const period = { from: life.at, to: after(life.at, FOLLOW_UP) }
  const lives = shortLives(input, life.at)
  const wasChanged = lives.some(({ from: start, settings }) =>
    settings.some(({ since, delay }) => start > life.at && since < period.to && delay !== to.delay),
  )
  const rate = meanRate(
    lives.flatMap(({ awake }) => awake),
    period,
  )
  if (wasChanged || !rate) return undefined
  const saved = lives.map(({ gaps, awake }) => savedSeconds({ gaps, awake, period }, old))
  const sums = eachBound((bound) => sumOf(saved, (one) => one[bound]))
  const in30Days = mapBounds(sums, (time) => (time * SAVING_PERIOD) / duration(period))
  return ordered(moneyOf(in30Days, rate.size, rate.perCuHour))
}
