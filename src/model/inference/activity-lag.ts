// How late the service shows activity. Shared by the quiet rule and the snapshot.
import type { ComputeEntry } from '../ledger/ledger.ts'
import type { ActivityLagSample } from '../ledger/reading-state.ts'
import { seconds, type Seconds } from '../units.ts'

/** Fewest samples of a measured lag; with fewer the configured lag applies. */
const MIN_SAMPLES = 5
/** Seconds added because records have whole seconds. */
const WHOLE_SECOND = 1

/** Undefined while there are too few samples. */
export function activityLagOfAccount(computes: Iterable<ComputeEntry>): Seconds | undefined {
  const samples: ActivityLagSample[] = []
  for (const { reading } of computes) samples.push(...reading.lags)
  return activityLagFromSamples(samples)
}

/**
 * Smallest lag that explains every sample: at least the largest lower bound, and the smallest upper bound, which the look soonest
 * after an activity measured. Undefined while there are too few.
 */
export function activityLagFromSamples(samples: readonly ActivityLagSample[]): Seconds | undefined {
  if (samples.length < MIN_SAMPLES) return undefined
  const proven = samples.reduce((most, { atLeast }) => Math.max(most, atLeast), 0)
  const prompt = samples.reduce((least, { atMost }) => Math.min(least, atMost), Infinity)
  return seconds(Math.max(proven, prompt) + WHOLE_SECOND)
}
