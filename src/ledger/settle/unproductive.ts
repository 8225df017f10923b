// Unproductive spend of a compute, by cause.
import type { Totals } from '../../model/ledger/ledger.ts'
import { micros, type Micros } from '../../model/units.ts'
import {
  UNPRODUCTIVE_CAUSES,
  type Unproductive,
  type UnproductiveCause,
} from '../../model/ledger/unproductive.ts'
import { parseCulpritKey } from '../attribution/causes.ts'
import { spendOf } from './cu-time.ts'

/** Raises the published amounts. No cause falls, also when time moves to another cause; together they never exceed `spend`, the published total. */
export function updateUnproductive(before: Unproductive, totals: Totals, spend: Micros): Unproductive {
  const now = unproductiveOf(totals)
  let room = spend - sumUnproductive(before)
  const after: { [cause in UnproductiveCause]?: Micros } = { ...before }
  for (const cause of UNPRODUCTIVE_CAUSES) {
    const published = before[cause] ?? 0
    const more = Math.min(room, (now[cause] ?? 0) - published)
    if (more <= 0) continue
    after[cause] = micros(published + more)
    room -= more
  }
  return after
}

export const sumUnproductive = (unproductive: Unproductive): Micros =>
  micros(Object.values(unproductive).reduce((all, one) => all + one, 0))

/** Unproductive spend by time, at the mean price of awake time. Causes from readings may overlap the idle tail, so the sum is capped at the time awake. */
function unproductiveOf(totals: Totals): Unproductive {
  const awake = totals.awake.likely
  const spend = spendOf(totals.cuTime).likely
  const times = timesOf(totals)
  let room: number = awake
  const spendByCause: { [cause in UnproductiveCause]?: Micros } = {}
  for (const cause of UNPRODUCTIVE_CAUSES) {
    const time = Math.min(room, times[cause] ?? 0)
    if (time <= 0) continue
    room -= time
    spendByCause[cause] = micros((spend * time) / awake)
  }
  return spendByCause
}

type Times = { [cause in UnproductiveCause]?: number }

function timesOf({ idleTail, observerOverhead, attribution }: Totals): Times {
  const times: Times = { idle_tail: idleTail, dormouse: observerOverhead }
  for (const [key, time] of Object.entries(attribution)) {
    const cause = parseCulpritKey(key).cause.replaceAll('-', '_')
    if (isUnproductive(cause)) times[cause] = (times[cause] ?? 0) + time
  }
  return times
}

const isUnproductive = (cause: string): cause is UnproductiveCause =>
  (UNPRODUCTIVE_CAUSES as readonly string[]).includes(cause)
