// What people are notified of when a change moves.
import type { Event } from '../model/output/event-kinds.ts'
import { isEnded, type Change, type ChangeState, type EndedChange } from '../model/policy/change.ts'
import { isStepOrigin } from '../model/policy/step-origin.ts'
import type { Instant } from '../model/units.ts'
import { changeText } from './settings.ts'

const ENDED_KINDS = {
  done: 'change-applied',
  failed: 'change-failed',
  expired: 'change-expired',
  unknown: 'change-unknown',
  superseded: 'change-superseded',
  reverted: 'change-reverted',
} as const

type NotifiedEnd = keyof typeof ENDED_KINDS

/** At most one; of a new change, `to` is its own state. A person who cancels or rejects a change knows it. */
export function changeEvents(change: Change, to: ChangeState, at: Instant): readonly Event[] {
  const { ref, id: changeId } = change
  const move = { account: ref.account, at, ref, changeId, what: changeText(change) }
  if (isMissedStep(change, to)) return []
  if (isNotifiedEnd(to)) return [{ ...move, kind: ENDED_KINDS[to.at], because: to.because }]
  const isNew = to.at === 'scheduled' && (change.state.at === 'proposed' || change.state === to)
  return isNew ? [{ ...move, kind: 'change-scheduled', because: change.reason }] : []
}

/**
 * A delay of a budget or schedule that was not sent in its time: mostly its compute slept through it, each day anew, and needed no delay. What
 * else may have held it has events of its own.
 */
const isMissedStep = ({ kind, origin, state }: Change, to: ChangeState): boolean =>
  to.at === 'expired' && state.at === 'scheduled' && kind === 'delay' && isStepOrigin(origin)

const isNotifiedEnd = (state: ChangeState): state is EndedChange & { readonly at: NotifiedEnd } =>
  isEnded(state) && state.at in ENDED_KINDS
