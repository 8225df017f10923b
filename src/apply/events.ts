// What people are notified of when a change moves.
import type { Event } from '../model/output/event-kinds.ts'
import { isEnded, type Change, type ChangeState, type EndedChange } from '../model/policy/change.ts'
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
  if (isNotifiedEnd(to)) return [{ ...move, kind: ENDED_KINDS[to.at], because: to.because }]
  const isNew = to.at === 'scheduled' && (change.state.at === 'proposed' || change.state === to)
  return isNew ? [{ ...move, kind: 'change-scheduled', because: change.reason }] : []
}

const isNotifiedEnd = (state: ChangeState): state is EndedChange & { readonly at: NotifiedEnd } =>
  isEnded(state) && state.at in ENDED_KINDS
