// Transitions of the apply loop: stored with their events, then logged and published.
import { changeEvents } from '../../apply/events.ts'
import type { Change, ChangeState, EndedChange } from '../../model/policy/change.ts'
import { replaceChange, transition } from '../../model/ports/journal.ts'
import type { Send } from '../../model/ports/outbox.ts'
import type { AccountStore, CommitRefusal } from '../../model/ports/store.ts'
import type { Instant } from '../../model/units.ts'
import type { DaemonEnvironment } from '../environment.ts'

type MoveOptions = Readonly<{
  store: Pick<AccountStore, 'commit'>
  /** Epoch of this opening of the store. */
  epoch: number
  /** Takes events that are stored already. */
  send: Send
  log: Pick<DaemonEnvironment['log'], 'info' | 'warn'>
  now: () => Instant
  /** After each transition that is stored. */
  onMove: (change: Change) => void
}>

/** Undefined results: somebody else changed the change meanwhile. */
export function createMoves({ store, epoch, send, log, now, onMove }: MoveOptions) {
  function conflict({ id }: Change, problem: CommitRefusal): undefined {
    log.warn({ change: id, problem: problem.kind }, 'a change was changed by somebody else')
  }

  function publish(change: Change): void {
    const { id, ref, state } = change
    log.info({ change: id, endpointId: ref.endpointId, state }, 'a change moved on')
    onMove(change)
  }

  return {
    record: async (change: Change, to: ChangeState): Promise<Change | undefined> => {
      const at = now()
      const events = changeEvents(change, to, at)
      const done = await transition(store, { change, to }, { at, epoch, events })
      if (!done.ok) return conflict(change, done.error)
      publish(done.value)
      await send(events)
      return done.value
    },
    /** @returns the change that takes its place */
    replace: async (change: Change, to: EndedChange, next: Change): Promise<Change | undefined> => {
      const at = now()
      const events = [...changeEvents(change, to, at), ...changeEvents(next, next.state, at)]
      const done = await replaceChange(store, { change, to, next }, { at, epoch, events })
      if (!done.ok) return conflict(change, done.error)
      publish(done.value.ended)
      publish(next)
      await send(events)
      return next
    },
  }
}
