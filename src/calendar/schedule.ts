// Schedules: a slot is due once, whatever the clock and the process do in between (decision 6).
import { earliest, instant, seconds, type Instant, type Seconds } from '../model/units.ts'
import type { Cron } from './cron.ts'
import { localDateTime, type LocalDateTime } from './local-time.ts'
import type { Zone } from './zone.ts'

export type Schedule = Readonly<{
  cron: Cron
  zone: Zone
  catchUp: Seconds
}>

/** Catch-up of the weekly report, 48 h: later than that it is no news. */
export const REPORT_CATCH_UP = seconds(48 * 3600)

/** What a schedule remembers over restarts. */
export type ScheduleState = Readonly<{
  /** First evaluation: slots before it are ignored. */
  since: Instant
  /** Series of consecutive slots that ran or were given up, ascending. */
  done: readonly Readonly<{ first: Instant; last: Instant }>[]
}>

type ScheduleStatus = Readonly<{
  /** To be stored before the slot runs or with its outcome: from then on the slot is done. */
  memory: ScheduleState
  due: Readonly<{ slot: Instant; late: Seconds }> | undefined
  /** Given up now, later than the catch-up. */
  missed: Instant | undefined
  next: Instant | undefined
}>

/** Evaluates the slots until now. The last of several missed slots alone runs, if not too late. No jump of the clock repeats or skips a slot. */
export function evaluateSchedule(
  schedule: Schedule,
  memory: ScheduleState | undefined,
  now: Instant,
): ScheduleStatus {
  const before = memory ?? { since: now, done: [] }
  const next = slotAfter(schedule, now)
  const slot = slotUntil(schedule, now)
  // a `since` after `now` comes from a clock that was ahead; slots since then are in `done`
  const since = earliest(before.since, now)
  const isDone = before.done.some(({ first, last }) => first <= now && slot !== undefined && last >= slot)
  if (slot === undefined || slot < since || isDone)
    return { memory: { ...before, since }, due: undefined, missed: undefined, next }
  const late = seconds((now - slot) / 1000)
  const isInTime = late <= schedule.catchUp
  return {
    memory: { since, done: addSlot(schedule, before.done, slot) },
    due: isInTime ? { slot, late } : undefined,
    missed: isInTime ? undefined : slot,
    next,
  }
}

/** Series of slots that are remembered: each interruption and each jump of the clock adds one. */
const MAX_SERIES = 32

function addSlot(schedule: Schedule, done: ScheduleState['done'], slot: Instant) {
  const before = slotUntil(schedule, instant(slot - 1))
  const follows = done.find(({ last }) => last === before)
  const others = done.filter((other) => other !== follows)
  const series = [...others, { first: follows?.first ?? slot, last: slot }].toSorted(
    (a, b) => a.first - b.first,
  )
  const [oldest, second, ...newer] = series
  // the two oldest are joined: slots between them count as done
  return series.length > MAX_SERIES && oldest && second
    ? [{ first: oldest.first, last: second.last }, ...newer]
    : series
}

function slotAfter({ cron, zone }: Schedule, now: Instant) {
  let time = cron.next(zone.wallAt(now))
  // slots of an hour that clocks show twice are in its first pass
  while (time !== undefined && zone.beginAt(time) <= now) time = cron.next(time)
  return time === undefined ? undefined : zone.beginAt(time)
}

function slotUntil({ cron, zone }: Schedule, now: Instant) {
  const hasBegun = (time: LocalDateTime | undefined): time is LocalDateTime =>
    time !== undefined && zone.beginAt(time) <= now
  let time = cron.previous(localDateTime(zone.wallAt(now) + 1))
  for (let later = cron.next(zone.wallAt(now)); hasBegun(later); later = cron.next(later)) time = later
  return time === undefined ? undefined : zone.beginAt(time)
}
