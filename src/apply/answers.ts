// What follows from the answer to a request of a change, and from a look that failed.
import type { Change, ChangeState, EndedChange } from '../model/policy/change.ts'
import type { ChangedCompute } from '../model/ports/service.ts'
import { serviceErrorText, type ServiceError } from '../model/service/service-error.ts'
import { after, seconds, type Instant } from '../model/units.ts'
import type { Result } from '../std/result.ts'
import { deletedText, operationIdsOf, scheduledAgain, sentOf, type Applying } from './next-step.ts'
import { targetNoun } from './settings.ts'

/**
 * Result of a look that failed; undefined where only another look can tell. A change of a compute that was deleted meanwhile is no failure,
 * sent or not: neither Dormouse nor the service did anything wrong.
 */
export function afterFailedLook(
  change: Pick<Change, 'kind' | 'state'>,
  error: ServiceError,
  now: Instant,
): EndedChange | undefined {
  if (error.kind !== 'gone') return undefined
  const { state } = change
  const because =
    state.at === 'scheduled'
      ? deletedText(change)
      : `${targetNoun(change)} was deleted before the effect of the request was seen`
  return { at: 'expired', because, endedAt: now, ...('sent' in state && state.sent && { sent: state.sent }) }
}

/** What the call of the request came to: `withdrawn` when the check at the socket stopped it, so that nothing was sent. */
export type Sent = Result<
  Pick<ChangedCompute, 'operations'> | undefined,
  ServiceError | { readonly kind: 'withdrawn' }
>

/** Bounds of the pause after 423 and after a request that could not be sent, seconds. Source: changing.md, §3. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [5, 300]

/** After the check at the socket stopped a request, seconds: what stopped it may be seen there alone, and a look costs a request. */
const WITHDRAWN_PAUSE = seconds(1)

/** @param random in `[0, 1)` */
export function afterAnswer(
  state: Applying,
  { answer, random, now }: Readonly<{ answer: Sent; random: number; now: Instant }>,
): ChangeState {
  if (answer.ok)
    return {
      at: 'verifying',
      since: now,
      operationIds: operationIdsOf(answer.value?.operations ?? []),
      sent: sentOf(state),
    }
  const { error } = answer
  const later = after(now, seconds(FIRST_PAUSE + random * (LONGEST_PAUSE - FIRST_PAUSE)))
  switch (error.kind) {
    case 'withdrawn':
      return scheduledAgain(state, after(now, WITHDRAWN_PAUSE))
    case 'busy':
    case 'unavailable':
    case 'unauthorized':
      return scheduledAgain(state, later)
    case 'limited':
      return scheduledAgain(state, error.until)
    case 'gone':
      // the next look tells whether it was deleted
      return scheduledAgain(state, later, state.attempt)
    case 'refused':
      return { at: 'failed', because: serviceErrorText(error), endedAt: now }
    case 'uncertain':
    case 'malformed':
      return { ...state, uncertainAt: now }
  }
}
