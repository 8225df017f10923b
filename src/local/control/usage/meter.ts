import type { Interval } from '../events.ts'
import type { Meter, OpenInterval, Usage } from '../project.ts'

export const UNUSED: Meter = { open: undefined, awakeMs: 0, cuMs: 0, suspends: 0 }

/** Starts an awake interval; one in progress goes on. */
export const openMeter = (meter: Meter, open: OpenInterval): Meter =>
  meter.open ? meter : { ...meter, open }

/** Ends the interval in progress, undefined when there is none. If the clock was set back, it ends where it started. */
export function closeMeter(meter: Meter, now: number): { meter: Meter; interval: Interval | undefined } {
  if (!meter.open) return { meter, interval: undefined }
  const { from, cu, branchId } = meter.open
  const to = Math.max(from, now)
  return {
    meter: {
      open: undefined,
      awakeMs: meter.awakeMs + (to - from),
      cuMs: meter.cuMs + (to - from) * cu,
      suspends: meter.suspends + 1,
    },
    interval: { from, to, cu, branchId },
  }
}

/** Continues at another size: the interval of the previous size ends, without a suspension. */
export function resizeMeter(
  meter: Meter,
  cu: number,
  now: number,
): { meter: Meter; interval: Interval | undefined } {
  const { meter: closed, interval } = closeMeter(meter, now)
  if (!interval) return { meter, interval }
  const open: OpenInterval = { from: interval.to, cu, branchId: interval.branchId }
  return { meter: { ...closed, suspends: meter.suspends, open }, interval }
}

/** Usage up to `now`, the interval in progress included. */
export function usedUntil(meter: Meter, now: number): Usage {
  const { meter: closed } = closeMeter(meter, now)
  return { awakeMs: closed.awakeMs, cuMs: closed.cuMs }
}
