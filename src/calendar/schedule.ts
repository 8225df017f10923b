// Schedules: a slot is due once, whatever the clock and the process do in between (decision 6).
import { DAY, instant, seconds, type Instant, type Seconds } from '../model/units.ts'
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

/** What a schedule remembers over restarts: slots until then ran, were given up, or were before the first evaluation. */
export type ScheduleState = Readonly<{ doneUntil: Instant }>

type ScheduleStatus = Readonly<{
  /** To be stored before the slot runs or with its outcome: from then on the slot is done. */
  memory: ScheduleState
  due: Readonly<{ slot: Instant; late: Seconds }> | undefined
  /** Given up now, later than the catch-up. */
  missed: Instant | undefined
  next: Instant | undefined
}>

/** A clock that steps back further, by a day, was ahead before: what it made done does not count. */
const MAX_STEP_BACK = DAY

/** Evaluates the slots until now. The last of several missed slots alone runs, if not too late. */
export function evaluateSchedule(
  schedule: Schedule,
  memory: ScheduleState | undefined,
  now: Instant,
): ScheduleStatus {
  const isFirst = memory === undefined || memory.doneUntil > now + MAX_STEP_BACK
  const doneUntil = isFirst ? instant(now - 1) : memory.doneUntil
  const next = slotAfter(schedule, now)
  const slot = slotUntil(schedule, now)
  if (slot === undefined || slot <= doneUntil)
    return { memory: { doneUntil }, due: undefined, missed: undefined, next }
  const late = seconds((now - slot) / 1000)
  const isInTime = late <= schedule.catchUp
  return {
    memory: { doneUntil: slot },
    due: isInTime ? { slot, late } : undefined,
    missed: isInTime ? undefined : slot,
    next,
  }
}

/** The first slot after `now`, if any. */
export function slotAfter({ cron, zone }: Schedule, now: Instant) {
  let time = cron.next(zone.wallAt(now))
  // slots of an hour that clocks show twice are in its first pass
  while (time !== undefined && zone.beginAt(time) <= now) time = cron.next(time)
  return time === undefined ? undefined : zone.beginAt(time)
}

/** The last slot until `now`, if any. */
export function slotUntil({ cron, zone }: Schedule, now: Instant) {
  const hasBegun = (time: LocalDateTime | undefined): time is LocalDateTime =>
    time !== undefined && zone.beginAt(time) <= now
  let time = cron.previous(localDateTime(zone.wallAt(now) + 1))
  for (let later = cron.next(zone.wallAt(now)); hasBegun(later); later = cron.next(later)) time = later
  return time === undefined ? undefined : zone.beginAt(time)
}
