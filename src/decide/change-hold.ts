// What holds a change before anybody looks at its compute. Level-triggered, and asked again when the request is written to the socket.
import type { Change, Hold } from '../model/policy/change.ts'
import type { PlacedHold } from '../model/policy/placed-hold.ts'
import { after, latest, type Instant, type Seconds } from '../model/units.ts'
import { brakeHold, type BrakeContext } from './brake-hold.ts'
import { closedHold, policyHold, type NamedWindows, type PolicyTerms } from './policy-hold.ts'

export type ChangeTerms = Readonly<{
  /** Windows in which nothing is changed; a change that would still be under way when one opens is held, too. */
  freezes: NamedWindows
  /** Holds that stand over the compute. */
  holds: readonly PlacedHold[]
  /** How long such a change takes, the 99th percentile. */
  duration: Seconds
  /** Whether the clock of the machine agrees with that of the service. */
  isClockSteady: boolean
  /** Terms of a change that nobody asked for; undefined where no pass has seen its compute. */
  unasked: Readonly<{ policy: PolicyTerms; brakes: BrakeContext }> | undefined
}>

/**
 * The first of these that holds the change, the kill switch and the mode apart, which are before all of them:
 * 1. `freeze`: a window in which nothing is changed;
 * 2. `hold`: a person's;
 * 3. `clock`: nobody knows whether a window, or a freeze that there is, is open;
 * 4. `denied-window`: a window of the policy in which nothing is restarted;
 * 5. a force: the rest does not hold the change;
 * 6. mode, levers and windows of the policy;
 * 7. the brakes.
 * A change that a person asked for is held by the first three alone, and by the third only where there are freezes.
 */
export function changeHold(change: Change, terms: ChangeTerms, now: Instant): Hold | undefined {
  const { holds, duration, isClockSteady, unasked } = terms
  const freezes = [...terms.freezes]
  const standing = closedHold('freeze', freezes, { now, over: after(now, duration) }) ?? placedHoldOf(holds)
  if (standing) return standing
  const isByPolicy = change.when === 'policy'
  const needsTime = isByPolicy || freezes.length > 0
  if (needsTime && !isClockSteady) return { because: 'clock', until: undefined }
  if (!isByPolicy) return undefined
  if (!unasked) return { because: 'policy', until: undefined }
  const { policy, brakes } = unasked
  return policyHold(change, policy, now) ?? (policy.isForced ? undefined : brakeHold(change, brakes, now))
}

/** Until the last of them ends. */
function placedHoldOf(standing: readonly PlacedHold[]): Hold | undefined {
  if (standing.length === 0) return undefined
  return {
    because: 'hold',
    until: latest(...standing.map(({ until }) => until)),
    detail: standing.map(({ id, by, reason }) => `${id} of ${by}, ${reason}`).join('; '),
  }
}
