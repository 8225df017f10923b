// What holds a change before anybody looks at its compute. Level-triggered, and asked again when the request is written to the socket.
import type { Change } from '../model/policy/change.ts'
import type { Hold } from '../model/policy/hold.ts'
import type { Mode } from '../model/policy/change-policy.ts'
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
  /** Mode of the policy of the compute or project, else of the configuration; undefined where no pass has seen it. */
  mode: Mode | undefined
  /** Terms of a change that nobody asked for; undefined where no pass has seen its compute. */
  unasked: Readonly<{ policy: PolicyTerms; brakes: BrakeContext }> | undefined
}>

/**
 * The first of these that holds the change, the kill switch and the mode of the configuration apart, which are before all of them:
 * 1. `mode`: the policy allows no changes at all;
 * 2. `freeze`: a window in which nothing is changed;
 * 3. `hold`: a person's;
 * 4. `clock`: nobody knows whether a window, or a freeze that there is, is open;
 * 5. `denied-window`: a window of the policy in which nothing is restarted;
 * 6. a force: the rest does not hold the change;
 * 7. mode, levers and windows of the policy;
 * 8. the brakes.
 * A change that a person asked for is held by the first four alone, and by the fourth only where there are freezes.
 */
export function changeHold(change: Change, terms: ChangeTerms, now: Instant): Hold | undefined {
  const isByPolicy = change.when === 'policy'
  return commonHold(terms, isByPolicy, now) ?? (isByPolicy ? unaskedHold(change, terms, now) : undefined)
}

/** What holds changes of people, too. */
function commonHold(
  { mode, freezes: named, holds, duration, isClockSteady }: ChangeTerms,
  isByPolicy: boolean,
  now: Instant,
): Hold | undefined {
  if (mode === 'off' || mode === 'observe') return { because: 'mode', until: undefined }
  const freezes = [...named]
  const standing = closedHold('freeze', freezes, { now, over: after(now, duration) }) ?? placedHoldOf(holds)
  const needsTime = isByPolicy || freezes.length > 0
  return standing ?? (needsTime && !isClockSteady ? { because: 'clock', until: undefined } : undefined)
}

function unaskedHold(change: Change, { unasked }: ChangeTerms, now: Instant): Hold | undefined {
  if (!unasked) return { because: 'policy', until: undefined }
  const { policy, brakes } = unasked
  return policyHold(change, policy, now) ?? (policy.isForced ? undefined : brakeHold(change, brakes, now))
}

/** Until the last of them ends. */
export function placedHoldOf(standing: readonly PlacedHold[]): Hold | undefined {
  if (standing.length === 0) return undefined
  return {
    because: 'hold',
    until: latest(...standing.map(({ until }) => until)),
    detail: standing.map(({ id, by, reason }) => `${id} of ${by}, ${reason}`).join('; '),
  }
}
