// Time that does not step: our wall clock as it was when the process began, carried on by the monotonic clock.
import type { Compute } from '../model/compute.ts'
import type { Ledger } from '../model/ledger.ts'
import type { Look, ReadingAttempt, Sweep } from '../model/observation.ts'
import type { Clock } from '../model/ports.ts'
import { instant, latest, type Instant, type Seconds } from '../model/units.ts'

/** The service's time as we tell it: `at` was when the monotonic clock showed `on`. */
export type Timebase = { readonly at: Instant; readonly on: Seconds }

/**
 * Where a process begins. The wall clock is believed then, unless the ledger has seen later times of the same service: what was
 * set back while nothing ran must not count anything twice.
 */
export function timebaseOf({ computes, projects }: Ledger, clock: Clock): Timebase {
  let at = clock.now()
  for (const { foldedAt, seenAt } of computes.values()) at = latest(at, foldedAt, seenAt)
  for (const { listed } of projects.values()) at = latest(at, listed?.at ?? at)
  return { at, on: clock.monotonic() }
}

/** `clock` with a time that somebody who sets the machine's clock does not move. */
export const steadied = (clock: Clock, { at, on }: Timebase): Clock => ({
  ...clock,
  now: () => instant(Math.round(at + (clock.monotonic() - on) * 1000)),
})

/**
 * A record that tells of a time to come shows that the service's clock is ahead of ours: the machine slept, which stops its
 * monotonic clock, or its wall clock was wrong when the process began. Then ours is put forward as far as the record says, and what
 * the sweep saw with it. Back it is never put: no record tells that it is late.
 */
export function retold(sweep: Sweep, base: Timebase): { readonly sweep: Sweep; readonly timebase: Timebase } {
  const behind = Math.max(0, ...sweep.looks.map(({ compute, answeredAt }) => newest(compute) - answeredAt))
  if (behind <= 0) return { sweep, timebase: base }
  return { sweep: moved(sweep, behind), timebase: { ...base, at: instant(base.at + behind) } }
}

const newest = ({ startedAt, suspendedAt, lastActive, updatedAt }: Compute): Instant =>
  latest(updatedAt, startedAt ?? updatedAt, suspendedAt ?? updatedAt, lastActive ?? updatedAt)

function moved(sweep: Sweep, by: number): Sweep {
  const put = (at: Instant): Instant => instant(at + by)
  const look = (one: Look): Look => ({ ...one, askedAt: put(one.askedAt), answeredAt: put(one.answeredAt) })
  const reading = (one: ReadingAttempt): ReadingAttempt => ({
    ...one,
    connectedAt: put(one.connectedAt),
    disconnectedAt: put(one.disconnectedAt),
    look: look(one.look),
  })
  return {
    ...sweep,
    startedAt: put(sweep.startedAt),
    endedAt: put(sweep.endedAt),
    looks: sweep.looks.map(look),
    listed: sweep.listed.map((one) => ({ ...one, answeredAt: put(one.answeredAt) })),
    readings: sweep.readings.map(reading),
  }
}
