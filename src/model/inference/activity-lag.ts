// How late the service shows activity, measured: shared by the quiet rule and by what is shown.
import type { ComputeEntry, ActivityLagSample } from '../ledger/ledger.ts'
import { forEachYielding, type Cooperative } from '../../std/cooperative.ts'
import { seconds, type Seconds } from '../units.ts'

/** Computes of one step. Doubled, the event loop is held up for a millisecond more. */
const COMPUTES = 2000

/** With fewer the configured lag holds. Doubled, a new account is read with the careful margin for longer. */
const ENOUGH = 5
/** Records are written in whole seconds, so what they show may be that much older. */
const WHOLE_SECOND = 1

/** The samples that the computes of one account have. */
export function* activityLagOfAccount(computes: Iterable<ComputeEntry>): Cooperative<Seconds | undefined> {
  const samples: ActivityLagSample[] = []
  yield* forEachYielding(computes, COMPUTES, ({ reading }) => samples.push(...reading.lags))
  return activityLagFromSamples(samples)
}

/**
 * The least lag that explains every sample: no less than any lateness that was proven, and no less than the promptest
 * activity took to show, which is what a look that came at once measured best.
 *
 * @returns undefined while there are too few samples
 */
export function activityLagFromSamples(samples: readonly ActivityLagSample[]): Seconds | undefined {
  if (samples.length < ENOUGH) return undefined
  const proven = samples.reduce((most, { atLeast }) => Math.max(most, atLeast), 0)
  const prompt = samples.reduce((least, { atMost }) => Math.min(least, atMost), Number.POSITIVE_INFINITY)
  return seconds(Math.max(proven, prompt) + WHOLE_SECOND)
}
