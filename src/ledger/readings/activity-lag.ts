// Measures the activity lag: a reading dates the end of a statement, a later look shows when the service reports it.
import type { PendingActivity, ActivityLagSample, ReadingState } from '../../model/ledger/reading-state.ts'
import type { Look, ReadingAttempt } from '../../model/observation.ts'
import { serverClockOffset } from '../evidence/own-sessions.ts'
import { SECOND, instant, seconds, type Instant } from '../../model/units.ts'

/** Samples retained for each compute: few, so that a lag that was long once is soon forgotten. */
const MAX_RETAINED_SAMPLES = 5

type LagState = Pick<ReadingState, 'lags' | 'pendingActivity'>

/** @param looks in the order they were made, those before a reading included */
export function measureActivityLag(
  before: ReadingState,
  looks: readonly Look[],
  readings: readonly ReadingAttempt[],
): LagState {
  const { lags, pendingActivity, clockOffset = 0 } = before
  const afterLooks = looks.reduce<LagState>((state, look) => observeLook(state, look, clockOffset), {
    lags,
    pendingActivity,
  })
  return readings.reduce(observeReading, afterLooks)
}

/** A look that shows this activity or newer gives a sample; another one raises the lower bound of the lag. */
function observeLook(state: LagState, look: Look, offset: number): LagState {
  const { pendingActivity } = state
  if (!pendingActivity) return state
  const lagAt = (when: Instant) => seconds(Math.max(0, when + offset - pendingActivity.at) / 1000)
  if (!shows(look, pendingActivity.at)) {
    const atLeast = seconds(Math.max(pendingActivity.atLeast, lagAt(look.askedAt)))
    // A sleeping compute shows no later activity; one never shown was none of the service's.
    return {
      ...state,
      pendingActivity: look.compute.state === 'active' ? { ...pendingActivity, atLeast } : undefined,
    }
  }
  return addSample(state, { atLeast: pendingActivity.atLeast, atMost: lagAt(look.answeredAt) })
}

const shows = ({ compute }: Look, at: Instant) => (compute.lastActive ?? 0) > at - SECOND

const addSample = ({ lags }: LagState, { atLeast, atMost }: ActivityLagSample): LagState => ({
  lags: [...lags, { atLeast: seconds(Math.min(atLeast, atMost)), atMost }].slice(-MAX_RETAINED_SAMPLES),
  pendingActivity: undefined,
})

/** The look just before a reading is the first that could have shown the statement it dates. */
function observeReading(state: LagState, attempt: ReadingAttempt): LagState {
  const { connectedAt, look, result } = attempt
  if (result.kind !== 'read' || 'missing' in result.reading.causes) return state
  const { causes, postmasterStartedAt } = result.reading
  const at = causes.lastForeignStatement
  if (at === undefined || at < postmasterStartedAt) return state
  const offset = serverClockOffset(attempt, result.reading)
  // The look cannot show a statement that ended during the reading, or that newer activity hides.
  if (at >= connectedAt + offset || (look.compute.lastActive ?? 0) > at) return state
  const pending: PendingActivity = { at: instant(at), atLeast: seconds(0) }
  return observeLook({ ...state, pendingActivity: pending }, look, offset)
}
