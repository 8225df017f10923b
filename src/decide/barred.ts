// Settings that were reverted on a compute: policies do not set them again for a while.
import type { Change } from '../model/policy/change.ts'
import { isSameSizing, type Sizing } from '../model/service/compute.ts'
import { after, latest, seconds, type Instant, type Seconds } from '../model/units.ts'

/** For the first time; each further one is twice as long. Source: changing.md, §4. */
const FIRST_BAR: Seconds = seconds(7 * 86_400)

/**
 * Until when a size is barred; undefined where it is not.
 *
 * @param changes of the compute, in any order; the journal keeps them for 93 days, more than four bars
 */
export function barredUntil(sizing: Sizing, changes: readonly Change[], now: Instant): Instant | undefined {
  const ends = changes.flatMap(({ state, desired }) =>
    state.at === 'reverted' && desired.sizing && isSameSizing(desired.sizing, sizing) ? [state.endedAt] : [],
  )
  if (ends.length === 0) return undefined
  const until = after(latest(...ends), seconds(FIRST_BAR * 2 ** (ends.length - 1)))
  return until > now ? until : undefined
}
