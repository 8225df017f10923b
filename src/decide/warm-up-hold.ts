// What holds a warm-up that is due. Level-triggered, and asked again when the request is written to the socket.
import type { Window } from '../calendar/window.ts'
import type { Hold } from '../model/policy/hold.ts'
import type { Instant } from '../model/units.ts'
import { placedHoldOf, type ChangeTerms } from './change-hold.ts'
import { closedHold } from './policy-hold.ts'

export type WarmUpHoldTerms = Pick<ChangeTerms, 'freezes' | 'holds' | 'isClockSteady'> &
  Readonly<{
    isKilled: boolean
    isKeyRefused: boolean
    /** Whether the policy of the compute allows warm-ups. */
    isAllowed: boolean
    /** Window of the policy, with its name; undefined: at any time. */
    window: readonly [name: string, window: Window | undefined] | undefined
    /** Whether a budget of the compute has reached 80 %. */
    isNearlySpent: boolean
  }>

/** The first of: kill switch, API key, freeze, hold of a person, policy, clock, window of the policy, budget. */
export function warmUpHold(terms: WarmUpHoldTerms, now: Instant): Hold | undefined {
  const { freezes, holds, isClockSteady, isKilled, isKeyRefused, isAllowed, window, isNearlySpent } = terms
  if (isKilled) return { because: 'kill-switch', until: undefined }
  if (isKeyRefused) return { because: 'key-refused', until: undefined }
  const standing = closedHold('freeze', freezes, { now, over: now }) ?? placedHoldOf(holds)
  if (standing) return standing
  if (!isAllowed) return { because: 'policy', until: undefined }
  if (!isClockSteady) return { because: 'clock', until: undefined }
  return windowHold(window, now) ?? (isNearlySpent ? { because: 'budget', until: undefined } : undefined)
}

function windowHold(named: WarmUpHoldTerms['window'], now: Instant): Hold | undefined {
  if (!named) return undefined
  const [name, window] = named
  if (window?.at(now)) return undefined
  return { because: 'outside-window', until: window?.next(now)?.from, detail: name }
}
