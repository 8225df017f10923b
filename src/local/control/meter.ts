import type { Interval } from './events.ts'
import type { Meter } from './project.ts'

export const UNUSED: Meter = { open: undefined, awakeMs: 0, cuMs: 0, suspends: 0 }

/** Begins an awake interval at `now` with `cu`. A meter that already runs keeps its interval. */
export const openMeter = (meter: Meter, now: number, cu: number): Meter =>
  meter.open ? meter : { ...meter, open: { from: now, cu } }

/** Ends the running interval at `now`; undefined `interval` when none ran. A clock that went back ends it where it began. */
export function closeMeter(meter: Meter, now: number): { meter: Meter; interval: Interval | undefined } {
  if (!meter.open) return { meter, interval: undefined }
  const { from, cu } = meter.open
  const to = Math.max(from, now)
  return {
    meter: {
      open: undefined,
      awakeMs: meter.awakeMs + (to - from),
      cuMs: meter.cuMs + (to - from) * cu,
      suspends: meter.suspends + 1,
    },
    interval: { from, to, cu },
  }
}

/** Awake ms and CU·ms up to `now`, the running interval included. */
export function usedUntil(meter: Meter, now: number): { readonly awakeMs: number; readonly cuMs: number } {
  const { meter: closed } = closeMeter(meter, now)
  return { awakeMs: closed.awakeMs, cuMs: closed.cuMs }
}
