// Times at which something is to be done once, whatever the clock and the process do in between.
import type { Interval } from '../model/time.ts'
import { instant, seconds, type Instant, type Seconds } from '../model/units.ts'
import type { Cron } from './cron.ts'
import { localDateTime, type LocalDateTime } from './local-time.ts'
import type { Zone } from './zone.ts'

export type Schedule = {
  readonly cron: Cron
  readonly zone: Zone
  /** How late a slot may still be run. */
  readonly catchUp: Seconds
}

/** After that a report about a week is no news; doubled, it may arrive on the fourth day. */
export const REPORT_CATCH_UP = seconds(48 * 3600)
/** For all else; doubled, work that was planned for a quiet hour may run two hours later. */
export const CATCH_UP = seconds(3600)

/** What must survive a restart; plain data. */
export type ScheduleState = {
  /** Slots before this one are none of ours: nobody waited for them. */
  readonly since: Instant
  /** Runs of slots that followed each other and were each run or given up, ascending. The last `last` is the last slot. */
  readonly done: readonly { readonly first: Instant; readonly last: Instant }[]
}

export type ScheduleStatus = {
  /** To be stored before the slot is run, or with its outcome: once stored, the slot does not come again. */
  readonly memory: ScheduleState
  /** The slot to run now. */
  readonly due: { readonly slot: Instant; readonly late: Seconds } | undefined
  /** The slot given up now, because it is later than its catch-up. */
  readonly missed: Instant | undefined
  /** Undefined when there is none before the year 10000. */
  readonly next: Instant | undefined
}

/**
 * What a schedule asks for at `now`. Of the slots missed while nobody looked only the last one is run, if it is not too late.
 * A clock that steps back repeats nothing, and one that had jumped far ahead silences nothing when it comes back.
 */
export function evaluateSchedule(
  schedule: Schedule,
  memory: ScheduleState | undefined,
  now: Instant,
): ScheduleStatus {
  const known = memory ?? { since: now, done: [] }
  const next = slotAfter(schedule, now)
  const slot = slotUntil(schedule, now)
  // a clock that was ahead at the first look said so; what was run since is in `done`
  const since = known.since < now ? known.since : now
  const isDone = known.done.some(({ first, last }) => first <= now && slot !== undefined && last >= slot)
  if (slot === undefined || slot < since || isDone)
    return { memory: { ...known, since }, due: undefined, missed: undefined, next }
  const late = seconds((now - slot) / 1000)
  const inTime = late <= schedule.catchUp
  return {
    memory: { since, done: withSlot(schedule, known.done, slot) },
    due: inTime ? { slot, late } : undefined,
    missed: inTime ? undefined : slot,
    next,
  }
}

/** Doubled, twice as many interruptions and jumps of the clock are remembered one by one. */
const RUNS_KEPT = 32

function withSlot(schedule: Schedule, done: ScheduleState['done'], slot: Instant): ScheduleState['done'] {
  const before = slotUntil(schedule, instant(slot - 1))
  const follows = done.find(({ last }) => last === before)
  const rest = done.filter((run) => run !== follows)
  const runs = [...rest, { first: follows?.first ?? slot, last: slot }].toSorted((a, b) => a.first - b.first)
  const [one, two, ...more] = runs
  // the two oldest become one: what lay between them will not be run any more
  return runs.length > RUNS_KEPT && one && two ? [{ first: one.first, last: two.last }, ...more] : runs
}

/** The slots in `[from, to)`, ascending: what was missed, for those who list it. There may be one a minute. */
export function* slotsIn(schedule: Schedule, { from, to }: Interval): Generator<Instant> {
  let slot = slotAfter(schedule, instant(from - 1))
  while (slot !== undefined && slot < to) {
    yield slot
    slot = slotAfter(schedule, slot)
  }
}

function slotAfter({ cron, zone }: Schedule, now: Instant): Instant | undefined {
  let time = cron.next(zone.wallAt(now))
  // in the second pass of an hour, the slots of the hour were in the first
  while (time !== undefined && zone.beginAt(time) <= now) time = cron.next(time)
  return time === undefined ? undefined : zone.beginAt(time)
}

/** The last slot at or before `now`. */
function slotUntil({ cron, zone }: Schedule, now: Instant): Instant | undefined {
  const begun = (time: LocalDateTime | undefined): time is LocalDateTime =>
    time !== undefined && zone.beginAt(time) <= now
  let time = cron.previous(localDateTime(zone.wallAt(now) + 1))
  for (let later = cron.next(zone.wallAt(now)); begun(later); later = cron.next(later)) time = later
  return time === undefined ? undefined : zone.beginAt(time)
}
