// The journal: changes and their history, and what people decided about them. A change is written by `transition` alone, so that two
// writers never both succeed.
import { failed, ok, type Result } from '../../std/result.ts'
import type { Event } from '../output/event-kinds.ts'
import {
  isEnded,
  restartsCompute,
  type Change,
  type ChangeEvent,
  type ChangeState,
  type ChangeTally,
  type EndedChange,
} from '../policy/change.ts'
import type { StoredBrake } from '../policy/brakes.ts'
import type { ForcedChange, PlacedHold } from '../policy/placed-hold.ts'
import type { SavedPart, SavedTally } from '../policy/saved.ts'
import type { TargetRef } from '../service/compute.ts'
import type { Instant } from '../units.ts'
import { eventWrites, type AccountStore, type CommitRefusal, type Write, type WriteOf } from './store.ts'

export type Journal = {
  /** Oldest first. */
  openChanges(account: string): Promise<readonly Change[]>
  change(account: string, id: string): Promise<Change | undefined>
  /** Newest first. */
  changes(account: string, part: ChangesPart): Promise<readonly Change[]>
  /** Oldest first; empty for an unknown change. */
  changeEvents(account: string, id: string): Promise<readonly ChangeEvent[]>
  /** Ordered by project, compute, kind and outcome; deleted computes included. */
  changeTallies(account: string): Promise<readonly ChangeTally[]>
  /** Ordered by change and time: of one change, or those that ended at `since` or later, of one compute or project or of all. */
  savedParts(account: string, part: SavedPartsQuery): Promise<readonly SavedPart[]>
  /** Ordered by project, compute and team; deleted computes included. */
  savedTallies(account: string): Promise<readonly SavedTally[]>
  /** Without an end, or ended at `since` or later; oldest first. @param since default: without an end only */
  placedHolds(account: string, since?: Instant): Promise<readonly PlacedHold[]>
  /** Ordered by id of the change. */
  forcedChanges(account: string): Promise<readonly ForcedChange[]>
  /** Also released and ended ones; ordered by name and subject. */
  storedBrakes(account: string): Promise<readonly StoredBrake[]>
}

export type SavedPartsQuery = Readonly<
  { changeId: string } | { since: Instant; target?: TargetRef | undefined }
>

export type StoredChanges = Readonly<{
  open: readonly Change[]
  holds: readonly PlacedHold[]
  forced: readonly ForcedChange[]
  brakes: readonly StoredBrake[]
}>

/** As an earlier process left them. */
export const readStoredChanges = async (journal: Journal, account: string): Promise<StoredChanges> => ({
  open: await journal.openChanges(account),
  holds: await journal.placedHolds(account),
  forced: await journal.forcedChanges(account),
  brakes: await journal.storedBrakes(account),
})

export type ChangesPart = Readonly<{
  /** A compute, or the defaults of a project. Default: of all. */
  target?: TargetRef | undefined
  /** Its id; default: of all. */
  project?: string | undefined
  /** Open, or ended then or later. Default: all. */
  since?: Instant | undefined
  /** At most. */
  count: number
}>

type TransitionOptions = Readonly<{
  at: Instant
  /** Without it the transition is not fenced: a command of a person. */
  epoch?: number | undefined
  events?: readonly Event[]
}>

/**
 * In one transaction with its history, its events and, where it ends the change, its tally.
 *
 * @returns the change as stored; `conflict` when it is not stored in the version of `change`, or breaks a rule of the journal: one open
 *   change per compute and kind, one `applying` per project; `fenced` when another process has opened the store
 */
export async function transition(
  store: Pick<AccountStore, 'commit'>,
  { change, to }: Readonly<{ change: Change; to: ChangeState }>,
  options: TransitionOptions,
): Promise<Result<Change, CommitRefusal>> {
  const next = { ...change, version: change.version + 1, state: to }
  return commitChange(store, { change: next, replaces: change.version }, options)
}

/** Stores a new change, with the refusals of `transition`. @param change in version 1 */
export const addChange = (
  store: Pick<AccountStore, 'commit'>,
  change: Change,
  options: TransitionOptions,
): Promise<Result<Change, CommitRefusal>> => commitChange(store, { change, replaces: undefined }, options)

/**
 * Ends a change and stores the one that takes its place, in one transaction, with the refusals of `transition`.
 *
 * @returns both as stored
 */
export async function replaceChange(
  store: Pick<AccountStore, 'commit'>,
  { change, to, next }: Readonly<{ change: Change; to: EndedChange; next: Change }>,
  options: TransitionOptions,
): Promise<Result<Readonly<{ ended: Change; next: Change }>, CommitRefusal>> {
  const ended = { ...change, version: change.version + 1, state: to }
  const writes = [
    ...changeWrites({ change: ended, replaces: change.version }, options.at),
    ...changeWrites({ change: next, replaces: undefined }, options.at),
  ]
  const committed = await commitWrites(store, writes, options)
  return committed.ok ? ok({ ended, next }) : failed(committed.error)
}

async function commitChange(
  store: Pick<AccountStore, 'commit'>,
  write: ChangeWrite,
  options: TransitionOptions,
): Promise<Result<Change, CommitRefusal>> {
  const committed = await commitWrites(store, changeWrites(write, options.at), options)
  return committed.ok ? ok(write.change) : failed(committed.error)
}

const commitWrites = (
  store: Pick<AccountStore, 'commit'>,
  writes: readonly Write[],
  { epoch, events = [] }: TransitionOptions,
) => store.commit([...writes, ...eventWrites(events)], epoch === undefined ? {} : { epoch })

type ChangeWrite = Omit<WriteOf<'change'>, 'kind'>

function changeWrites({ change, replaces }: ChangeWrite, at: Instant): readonly Write[] {
  const { id: changeId, version, state } = change
  return [
    { kind: 'change', change, replaces },
    { kind: 'change-event', event: { changeId, version, at, state } },
    ...tallyWrites(change),
  ]
}

/** Tally of a transition to an end. No transition leaves an end, so that a change is counted once. */
function tallyWrites({ ref, kind, state }: Change): readonly Write[] {
  if (!isEnded(state)) return []
  const sessions = state.sent?.sessions
  const interrupted = typeof sessions === 'number' ? sessions : 0
  // one that was never sent, such as a restart that the next start did, interrupts nobody
  const isAvoided = state.at === 'done' && restartsCompute(kind) && (sessions === undefined || sessions === 0)
  const counted = { count: 1, interrupted, avoided: Number(isAvoided), lastAt: state.endedAt }
  const added = { ref, kind, outcome: state.at, ...counted }
  return [{ kind: 'change-tally', added }]
}
