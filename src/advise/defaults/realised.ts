// What an implemented default delay saved: the old one replayed over the lives that came, less what was paid, as for one compute (replayed-setting.ts).
import { eachBound, mapBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { Recommendation, Setting } from '../../model/policy/recommendation.ts'
import type { SavedPart } from '../../model/policy/saved.ts'
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import { after, earliest, micros, type Interval, type Micros } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { duration } from '../../ledger/interval-math.ts'
import { FOLLOW_UP } from '../follow-up.ts'
import { moneyOf, SAVING_PERIOD } from '../interval.ts'
import { meanRate, ordered, savedSeconds } from '../replayed-setting.ts'
import { countedUntil, followUpOf, isCounted, savedPart, type CountedChanges } from '../saved-by-change.ts'
import { defaultDelayOf } from './advise-defaults.ts'
import type { DefaultsInput } from './input.ts'
import { settledUntil, shortLives, type ShortLife } from './lives.ts'

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
  if (lives.some((one) => !hasDelay(one, to.delay, period))) return undefined
  const replayed = replayLives(lives, period, old)
  return replayed?.moneyTimes(SAVING_PERIOD / duration(period))
}

/** Whether all looks at the compute in `period` saw this delay. A compute that lived before keeps the one that it had. */
const hasDelay = (
  { from: start, settings }: ShortLife,
  wanted: Setting['delay'],
  period: Interval,
): boolean =>
  start <= period.from || settings.every(({ since, delay }) => since >= period.to || delay === wanted)

/** Undefined without awake time. */
function replayLives(lives: readonly ShortLife[], period: Interval, old: AutosuspendDelay) {
  const rate = meanRate(
    lives.flatMap(({ awake }) => awake),
    period,
  )
  if (!rate) return undefined
  const saved = lives.map(({ gaps, awake }) => savedSeconds({ gaps, awake, period }, old))
  const sums = eachBound((bound) => sumOf(saved, (one) => one[bound]))
  return {
    moneyTimes: (factor: number) =>
      ordered(
        moneyOf(
          mapBounds(sums, (time) => time * factor),
          rate.size,
          rate.perCuHour,
        ),
      ),
  }
}

/**
 * New parts of changes of the defaults, as for one compute (saved-by-change.ts): of the lives that ended since the last part, those that had the
 * delay of the change.
 */
export const savedByDefaults = (
  input: DefaultsInput,
  { changes, parts, team }: CountedChanges,
): readonly SavedPart[] =>
  changes.filter(isCounted).flatMap((change) => {
    const { autosuspendDelay: old } = change.before
    const period = followUpOf(change)
    const counted = { from: countedUntil(change, parts), to: earliest(period.to, settledUntil(input)) }
    if (old === undefined || counted.from >= counted.to) return []
    const lives = shortLives(input, counted.from).filter(
      (life) => life.to <= counted.to && hasDelay(life, change.desired.autosuspendDelay, period),
    )
    const money = replayLives(lives, period, old)?.moneyTimes(1).likely
    return [savedPart(change, { period: counted, money: money ?? micros(0), team })]
  })
