// Measures how late the service shows activity: a reading tells when a statement ended, a later look when it shows.
import type { PendingActivity, ActivityLagSample, ReadingState } from '../../model/ledger/reading-state.ts'
import type { Look, ReadingAttempt } from '../../model/observation.ts'
import { serverClockOffset } from '../evidence/clock-offset.ts'
import { instant, seconds, type Instant, type Seconds } from '../../model/units.ts'

/** Samples kept of each compute. Doubled, a lag that was long once is believed for twice as many readings. */
const KEPT = 5
/** `last_active` is written in whole seconds. */
const SECOND = 1000

type Followed = Pick<ReadingState, 'lags' | 'pendingActivity'>

/** @param looks in the order they were made, those before a reading included */
export function measureActivityLag(
  before: ReadingState,
  looks: readonly Look[],
  readings: readonly ReadingAttempt[],
): Followed {
  const { lags, pendingActivity, clockOffset = 0 } = before
  const known = looks.reduce<Followed>((all, look) => seenBy(all, look, clockOffset), {
    lags,
    pendingActivity,
  })
  return readings.reduce(told, known)
}

/** A look that shows the awaited activity, or a newer one, dates how late it was shown; one that does not proves a lateness. */
function seenBy(known: Followed, look: Look, offset: number): Followed {
  const { pendingActivity } = known
  if (!pendingActivity) return known
  const late = (when: Instant): Seconds => seconds(Math.max(0, when + offset - pendingActivity.at) / 1000)
  if (!shows(look, pendingActivity.at)) {
    const atLeast = seconds(Math.max(pendingActivity.atLeast, late(look.askedAt)))
    // Asleep, it shows nothing more; and what is never shown was not taken for activity.
    return {
      ...known,
      pendingActivity: look.compute.state === 'active' ? { ...pendingActivity, atLeast } : undefined,
    }
  }
  return withSample(known, { atLeast: pendingActivity.atLeast, atMost: late(look.answeredAt) })
}

const shows = ({ compute }: Look, at: Instant): boolean => (compute.lastActive ?? 0) > at - SECOND

const withSample = ({ lags }: Followed, { atLeast, atMost }: ActivityLagSample): Followed => ({
  lags: [...lags, { atLeast: seconds(Math.min(atLeast, atMost)), atMost }].slice(-KEPT),
  pendingActivity: undefined,
})

/** The look just before a reading is the first that could have shown what the reading tells. */
function told(known: Followed, attempt: ReadingAttempt): Followed {
  const { connectedAt, look, result } = attempt
  if (result.kind !== 'read' || 'missing' in result.reading.causes) return known
  const { causes, postmasterStartedAt } = result.reading
  const at = causes.lastForeignStatement
  if (at === undefined || at < postmasterStartedAt) return known
  const offset = serverClockOffset(attempt, result.reading)
  // What ended while we were there tells nothing of the look, nor does what something newer has hidden.
  if (at >= connectedAt + offset || (look.compute.lastActive ?? 0) > at) return known
  const awaited: PendingActivity = { at: instant(at), atLeast: seconds(0) }
  return seenBy({ ...known, pendingActivity: awaited }, look, offset)
}
