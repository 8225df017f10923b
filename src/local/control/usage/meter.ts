import type { Interval } from '../events.ts'
import type { Meter, OpenInterval, Usage } from '../project.ts'

export const NO_USAGE: Usage = { awakeMs: 0, cuMs: 0 }

export const addUsage = (a: Usage, b: Usage): Usage => ({
  awakeMs: a.awakeMs + b.awakeMs,
  cuMs: a.cuMs + b.cuMs,
})

export const usageOf = ({ from, to, cu }: Omit<Interval, 'branchId'>): Usage => ({
  awakeMs: to - from,
  cuMs: (to - from) * cu,
})

export const UNUSED: Meter = { ...NO_USAGE, open: undefined, suspends: 0 }

/** An interval in progress goes on. */
export const openMeter = (meter: Meter, open: OpenInterval): Meter =>
  meter.open ? meter : { ...meter, open }

/** The meter, and the interval that ended, if any. */
type Metered = Readonly<{ meter: Meter; interval: Interval | undefined }>

/** Closes the interval in progress; if the clock was set back, where it started. */
export function closeMeter(meter: Meter, now: number): Metered {
  if (!meter.open) return { meter, interval: undefined }
  const interval = { ...meter.open, to: Math.max(meter.open.from, now) }
  const usage = addUsage(meter, usageOf(interval))
  return { meter: { ...usage, open: undefined, suspends: meter.suspends + 1 }, interval }
}

/** The interval of the old size ends, without a suspension. */
export function resizeMeter(meter: Meter, cu: number, now: number): Metered {
  const { meter: closed, interval } = closeMeter(meter, now)
  if (!interval) return { meter, interval }
  const open: OpenInterval = { from: interval.to, cu, branchId: interval.branchId }
  return { meter: { ...closed, suspends: meter.suspends, open }, interval }
}
