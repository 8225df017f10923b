// What holds changes of an account back, for metrics and lists: each by its name, whatever change it would hold.
import type { BrakeName } from '../model/policy/brakes.ts'
import { instant, type Instant } from '../model/units.ts'
import { holdOff, type BrakeContext } from './brake-hold.ts'
import { breakerState } from './breaker.ts'
import type { NamedWindows } from './policy-hold.ts'

type EngagedInput = Readonly<{
  freezes: NamedWindows
  /** Whether a hold of a person stands. */
  isHeld: boolean
  /** Whether policies make changes: else there is nothing that a brake could hold. */
  decidesChanges: boolean
  brakes: Omit<BrakeContext, 'createdAt' | 'goFirst'>
}>

/** Besides the kill switch. */
export function engagedBrakesOf(input: EngagedInput, now: Instant): readonly BrakeName[] {
  const { freezes, isHeld, decidesChanges, brakes } = input
  const standing: readonly BrakeName[] = [
    ...([...freezes].some(([, window]) => window?.at(now)) ? (['freeze'] as const) : []),
    ...(isHeld ? (['hold'] as const) : []),
  ]
  if (!decidesChanges) return standing
  const stored = brakes.engaged.map(({ name }) => name).filter((name) => name !== 'breaker')
  return [
    ...standing,
    ...stored,
    ...(breakerState(brakes, now).kind === 'closed' ? [] : (['breaker'] as const)),
    // a compute has its own age besides
    ...(holdOff({ ...brakes, createdAt: instant(0) }, now) ? (['hold_off'] as const) : []),
  ]
}
