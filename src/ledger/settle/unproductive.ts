// The part of a compute's spend that nobody got anything for, by cause.
import type { Totals } from '../../model/ledger/ledger.ts'
import { micros, type Micros } from '../../model/units.ts'
import {
  UNPRODUCTIVE_CAUSES,
  type Unproductive,
  type UnproductiveCause,
} from '../../model/ledger/unproductive.ts'
import { parseCulpritKey } from '../attribution/causes.ts'
import { spendOf } from './cu-time.ts'

/**
 * What was shown before and what more there is. No cause falls, also when time turns out to have been another's; together
 * they are no more than `spend`, which is what is shown of all of it.
 */
export function updateUnproductive(before: Unproductive, totals: Totals, spend: Micros): Unproductive {
  const now = unproductiveOf(totals)
  let room = spend - sumUnproductive(before)
  const after: { [cause in UnproductiveCause]?: Micros } = { ...before }
  for (const cause of UNPRODUCTIVE_CAUSES) {
    const known = before[cause] ?? 0
    const more = Math.min(room, (now[cause] ?? 0) - known)
    if (more <= 0) continue
    after[cause] = micros(known + more)
    room -= more
  }
  return after
}

export const sumUnproductive = (unproductive: Unproductive): Micros =>
  micros(Object.values(unproductive).reduce((all, one) => all + one, 0))

/** By time, at what an hour awake cost on average. What readings saw may reach into the tail: in all it is no more than the time awake. */
function unproductiveOf(totals: Totals): Unproductive {
  const awake = totals.awake.likely
  const spend = spendOf(totals.cuTime).likely
  const times = timesOf(totals)
  let room: number = awake
  const found: { [cause in UnproductiveCause]?: Micros } = {}
  for (const cause of UNPRODUCTIVE_CAUSES) {
    const time = Math.min(room, times[cause] ?? 0)
    if (time <= 0) continue
    room -= time
    found[cause] = micros((spend * time) / awake)
  }
  return found
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
