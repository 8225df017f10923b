// Activity lag: how late the service shows activity, measured. The quiet rule and the snapshot share it.
import type { ComputeEntry } from '../ledger/ledger.ts'
import type { ActivityLagSample } from '../ledger/reading-state.ts'
import { seconds, type Seconds } from '../units.ts'

/** With fewer samples the configured lag holds. */
const MIN_SAMPLES = 5
/** Records are written in whole seconds, so what they show may be that much older. */
const WHOLE_SECOND = 1

/** From the samples of all computes of an account; undefined while there are too few. */
export function activityLagOfAccount(computes: Iterable<ComputeEntry>): Seconds | undefined {
  const samples: ActivityLagSample[] = []
  for (const { reading } of computes) samples.push(...reading.lags)
  return activityLagFromSamples(samples)
}

/**
 * The least lag that explains every sample: no less than any lateness that was proven, and no less than the promptest
 * activity took to show, which is what a look that came at once measured best.
 *
 * @returns undefined while there are too few samples
 */
export function activityLagFromSamples(samples: readonly ActivityLagSample[]): Seconds | undefined {
  if (samples.length < MIN_SAMPLES) return undefined
  const proven = samples.reduce((most, { atLeast }) => Math.max(most, atLeast), 0)
  const prompt = samples.reduce((least, { atMost }) => Math.min(least, atMost), Number.POSITIVE_INFINITY)
  return seconds(Math.max(proven, prompt) + WHOLE_SECOND)
}
