// When a change may be sent, by what is known now of windows, freezes, holds and brakes. What the compute is used for then is not known.
//
// 1. The slot begins when nothing of these holds the change: now, or when the last of the holds that have an end is over.
// 2. It ends with what allows it: its window, less the time that such a change takes, or the next freeze or denied window.
import type { Change } from '../model/policy/change.ts'
import type { Hold } from '../model/policy/hold.ts'
import { after, earliest, instant, SECOND, seconds, type Instant, type Interval } from '../model/units.ts'
import { changeHold, type ChangeTerms } from './change-hold.ts'
import { allowedUntil } from './policy-hold.ts'

/** Holds in a row that are followed: windows that are too short for a change open again and again. */
const MAX_HOLDS = 100

/** The first slot that begins in `within`; undefined where there is none, or where a hold has no known end. */
export function changeSlot(change: Change, terms: ChangeTerms, within: Interval): Interval | undefined {
  const last = earliest(within.to, change.deadline)
  const from = slotStart(within.from, last, (at) => changeHold(change, termsAt(terms, at), at))
  if (from === undefined) return undefined
  const ends = [...terms.freezes].flatMap(([, window]) => window?.next(from)?.from ?? [])
  const closing = terms.unasked && allowedUntil(change, terms.unasked.policy, from)
  const beforeFreeze = ends.map((at) => instant(at - terms.duration * SECOND))
  return { from, to: earliest(change.deadline, ...beforeFreeze, ...(closing === undefined ? [] : [closing])) }
}

/** Holds of people that stand then. */
const termsAt = (terms: ChangeTerms, at: Instant): ChangeTerms => ({
  ...terms,
  holds: terms.holds.filter(({ until }) => until > at),
})

function slotStart(
  now: Instant,
  last: Instant,
  holdAt: (at: Instant) => Hold | undefined,
): Instant | undefined {
  let at = now
  for (let holds = 0; holds < MAX_HOLDS && at < last; holds += 1) {
    const hold = holdAt(at)
    if (!hold) return at
    if (hold.until === undefined || hold.until <= at) return undefined
    at = hold.until
  }
  return undefined
}

/** Time for which slots are looked for, 7 days: a weekday cycle has every window once. */
const SLOT_SPAN = seconds(7 * 86_400)

export const slotSpan = (now: Instant): Interval => ({ from: now, to: after(now, SLOT_SPAN) })
