// Saving of a setting of a budget until the end of its period: the last weeks replayed with it, at the price of now.
import { addCuTime, cuTimeSum } from '../ledger/settle/cu-time.ts'
import type { Gap } from '../model/ledger/gap.ts'
import {
  addBounds,
  eachBound,
  mapBounds,
  type Bounds,
  type CuTimeByPrice,
  type DayRow,
} from '../model/ledger/quantities.ts'
import type { ChangeSettings } from '../model/policy/change.ts'
import { largestCu, smallestCu, type Sizing } from '../model/service/compute.ts'
import {
  DAY,
  HOUR,
  instant,
  micros,
  millis,
  type Instant,
  type Interval,
  type Micros,
} from '../model/units.ts'
import { sumOf } from '../std/sum.ts'
import { lengthBounds, savedTime } from './backtest.ts'
import { everyDay } from './every-day.ts'

/** Days of history that stand for the rest of the period. */
export const STEP_PAST_DAYS = 28

export type StepPast = Readonly<{
  /** Size of the compute now. */
  sizing: Sizing
  /** Gaps of the last `STEP_PAST_DAYS`, oldest first. */
  gaps: readonly Gap[]
  days: readonly DayRow[]
  perCuHour: Micros
}>

type StepChange = Readonly<{ before: ChangeSettings; desired: ChangeSettings }>

/** Undefined where no gap, or no day, was recorded. @param rest from now until the end of the period */
export function stepSaving(
  { before, desired }: StepChange,
  past: StepPast,
  rest: Interval,
): Bounds<Micros> | undefined {
  const saved = desired.sizing
    ? savedBySize(desired.sizing, past, rest.from)
    : savedByDelay({ before, desired }, past, rest.from)
  return (
    saved &&
    mapBounds(saved, (perMilli) => micros((perMilli * past.perCuHour * (rest.to - rest.from)) / HOUR))
  )
}

/** CU·ms saved in each millisecond. */
type SavedShare = Bounds<number>

/** Gaps that are shorter than what was followed are missing: they would save nothing, or less. */
function savedByDelay(
  { before: { autosuspendDelay: from }, desired: { autosuspendDelay: to } }: StepChange,
  { gaps, days, sizing }: StepPast,
  now: Instant,
): SavedShare | undefined {
  const recent = gaps.filter((gap) => gap.from >= now - STEP_PAST_DAYS * DAY)
  const [first] = recent
  if (!first || from === undefined || to === undefined) return undefined
  const lengths = recent.map((gap) => ({ from: gap.from, length: lengthBounds(gap) }))
  const seconds = savedTime(lengths, { from, to })
  const { awake, cuTime } = useOf(days, now)
  const mean = awake.likely === 0 ? smallestCu(sizing) : cuTime.likely / awake.likely
  const size = { low: smallestCu(sizing), likely: mean, high: largestCu(sizing) }
  return eachBound((bound) => (Math.max(0, seconds[bound]) * 1000 * size[bound]) / (now - first.from))
}

/** All that was used above the new largest size. */
function savedBySize(to: Sizing, { days }: StepPast, now: Instant): SavedShare | undefined {
  const { awake, cuTime, time } = useOf(days, now)
  if (time === 0) return undefined
  return eachBound((bound) => Math.max(0, cuTime[bound] - awake[bound] * largestCu(to)) / time)
}

function useOf(days: readonly DayRow[], now: Instant) {
  const rows = days.filter(({ from }) => from >= now - STEP_PAST_DAYS * DAY && from < now)
  const recent = everyDay(rows, { from: rows[0]?.from ?? now, to: now })
  return {
    time: sumOf(recent, ({ from, to }) => Math.min(now, to) - from),
    cuTime: cuTimeSum(recent.map((day) => day.cuTime).reduce<CuTimeByPrice>(addCuTime, {})),
    awake: recent.reduce(
      (sum, day) => addBounds(sum, day.awake, millis),
      eachBound(() => millis(0)),
    ),
  }
}

export const pastInterval = (now: Instant): Interval => ({
  from: instant(now - STEP_PAST_DAYS * DAY),
  to: now,
})
