// What implemented defaults saved: the old delay and the old size replayed over the lives that came, less what was paid, as for one compute
// (replayed-setting.ts).
import { addBounds, eachBound, mapBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { Change } from '../../model/policy/change.ts'
import type { Recommendation, Setting } from '../../model/policy/recommendation.ts'
import type { SavedPart } from '../../model/policy/saved.ts'
import { isSameSizing } from '../../model/service/compute.ts'
import { after, earliest, micros, type Interval, type Micros } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { duration } from '../../ledger/interval-math.ts'
import { FOLLOW_UP } from '../follow-up.ts'
import { moneyOf, SAVING_PERIOD } from '../interval.ts'
import {
  withinSizing,
  meanRate,
  ordered,
  resizedMoney,
  savedSeconds,
  type SettingChange,
} from '../replayed-setting.ts'
import { countedUntil, followUpOf, isCounted, savedPart, type CountedChanges } from '../saved-by-change.ts'
import { defaultDelayOf } from './default-delay.ts'
import type { DefaultsInput } from './input.ts'
import { hadSize, livesSince, settledUntil, type ShortLife } from './lives.ts'

/** Undefined before the follow-up has ended, where no such compute lived in it, and where somebody set other defaults. */
export function realisedDefaults(
  { from, to, life }: Recommendation,
  input: DefaultsInput,
): Bounds<Micros> | undefined {
  const isOver = life.state === 'implemented' && input.now >= after(life.at, FOLLOW_UP)
  if (!isOver || !isInForce(to, input)) return undefined
  const period = { from: life.at, to: after(life.at, FOLLOW_UP) }
  const lives = livesSince(input, life.at)
  const isOther = (one: ShortLife) => one.restsOnDelay && !hasDelay(one, to.delay, period)
  if (lives.some(isOther)) return undefined
  return replayLives(lives, { from, to }, period)?.(SAVING_PERIOD / duration(period))
}

const isInForce = ({ delay, sizing }: Setting, input: DefaultsInput): boolean => {
  const { defaultSizing } = input.project
  const hasSize = !sizing || (defaultSizing !== undefined && isSameSizing(defaultSizing, sizing))
  return hasSize && (delay === undefined || defaultDelayOf(input) === delay)
}

/** Whether all looks at the compute in `period` saw this delay, or it is not about one. A compute that lived before keeps the one that it had. */
const hasDelay = (
  { from: start, settings }: ShortLife,
  wanted: Setting['delay'],
  period: Interval,
): boolean =>
  wanted === undefined ||
  start <= period.from ||
  settings.every(({ since, delay }) => since >= period.to || delay === wanted)

type MoneyTimes = (factor: number) => Bounds<Micros>

/** Undefined without awake time. Another default size is that of computes which were made since. */
function replayLives(
  lives: readonly ShortLife[],
  { from, to }: Omit<SettingChange, 'at'>,
  period: Interval,
): MoneyTimes | undefined {
  const isResized = (life: ShortLife) =>
    to.sizing !== undefined && life.from >= period.from && hadSize(life, to.sizing)
  const resized = lives.filter(isResized)
  const rested = from.delay === undefined ? [] : lives.filter((life) => life.restsOnDelay)
  const awake = resized.flatMap((life) => life.awake)
  const parts = [
    // time that the old delay would have added would have had the old size
    replayDelay(rested.filter(isResized), period, from),
    replayDelay(
      rested.filter((life) => !isResized(life)),
      period,
      { ...(from.delay !== undefined && { delay: from.delay }) },
    ),
    from.sizing && awake.length > 0 ? resizedMoney(awake, period, from.sizing) : undefined,
  ].filter((part) => part !== undefined)
  return parts.length === 0
    ? undefined
    : (factor) => parts.map((money) => money(factor)).reduce((sum, one) => addBounds(sum, one, micros))
}

/** Undefined without awake time. */
function replayDelay(
  lives: readonly ShortLife[],
  period: Interval,
  { delay: old, sizing }: Setting,
): MoneyTimes | undefined {
  const rate = meanRate(
    lives.flatMap(({ awake }) => awake),
    period,
  )
  if (!rate || old === undefined) return undefined
  const saved = lives.map(({ gaps, awake }) => savedSeconds({ gaps, awake, period }, old))
  const sums = eachBound((bound) => sumOf(saved, (one) => one[bound]))
  const size = sizing ? mapBounds(rate.size, (mean) => withinSizing(mean, sizing)) : rate.size
  return (factor) =>
    ordered(
      moneyOf(
        mapBounds(sums, (time) => time * factor),
        size,
        rate.perCuHour,
      ),
    )
}

/**
 * New parts of changes of the defaults, as for one compute (saved-by-change.ts): of the lives that ended since the last part, those that had the
 * delay and the size of the change.
 */
export const savedByDefaults = (
  input: DefaultsInput,
  { changes, parts, team }: CountedChanges,
): readonly SavedPart[] =>
  changes.filter(isCounted).flatMap((change) => {
    const { before, desired } = change
    const period = followUpOf(change)
    const counted = { from: countedUntil(change, parts), to: earliest(period.to, settledUntil(input)) }
    if (counted.from >= counted.to) return []
    const lives = livesSince(input, counted.from).filter(
      (life) => life.to <= counted.to && hasDelay(life, desired.autosuspendDelay, period),
    )
    const replayed = replayLives(lives, { from: settingOf(before), to: settingOf(desired) }, period)
    const money = replayed?.(1).likely
    return [savedPart(change, { period: counted, money: money ?? micros(0), team })]
  })

const settingOf = ({ autosuspendDelay: delay, sizing }: Change['desired']): Setting => ({
  ...(delay !== undefined && { delay }),
  ...(sizing && { sizing }),
})
