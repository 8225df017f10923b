// The state of all accounts as one immutable value for every output.
import type { Window } from '../../calendar/window.ts'
import { computeView } from '../../ledger/compute-view.ts'
import { mayHaveWoken } from '../../ledger/settle/accrual.ts'
import type { BrakeName } from '../../model/policy/brakes.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import { isReached } from '../../model/observation.ts'
import type { AccountView, ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import type { Owners } from '../../model/policy/owner.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { computeKey } from '../../model/service/compute.ts'
import { instant, type Instant, type Seconds } from '../../model/units.ts'
import { createIdentityCache, type IdentityCache } from '../../std/cache.ts'
import { asOrderedMap } from '../../std/ordered-map.ts'
import { inChunks, inTurns } from '../turns.ts'
import { openAccount, partsOf, type AccountInput, type ViewParts } from './account-view.ts'

type SnapshotContext = Readonly<{
  now: Instant
  version: number
  passSeconds: Seconds
  /** After the last sweep, from which states are stale. */
  staleAfter: Seconds
  /** How late the service shows activity. */
  activityLag: Seconds
  owners: Owners
  jobs?: Snapshot['jobs']
  insecure?: Snapshot['insecure']
  engagedBrakes?: readonly BrakeName[]
  /** Windows of the configuration. */
  windows?: ReadonlyMap<string, Window>
}>

/** Some 10 ms of work. */
const ENTRIES_PER_TURN = 1000

/** Each account is opened, gets its entries, and is closed. Unchanged views of sleeping computes are reused. */
export function createSnapshotBuilder() {
  const asleep = createIdentityCache<ComputeEntry, CachedView>()
  return (context: SnapshotContext) => {
    const views: ComputeView[] = []
    const accounts: AccountView[] = []
    const { version, now: takenAt, passSeconds, jobs = [], insecure = [], engagedBrakes = [] } = context
    const windows = openWindows(context)
    return {
      account: (input: AccountInput) => {
        const account = openAccount(input, context.owners)
        const viewOf = createViewer(input, context, asleep)
        return {
          add: (entries: Iterable<ComputeEntry>) => {
            for (const entry of entries) {
              const view = viewOf(entry)
              account.add(entry, view)
              if (!view.state.isDeleted) views.push(view)
            }
          },
          close: () => void accounts.push(account.close()),
        }
      },
      finish: (): Snapshot => {
        asleep.evictUnused()
        const ready =
          accounts.length > 0 && accounts.every(({ service, stored }) => isReached(service) && stored)
        const health = { version, takenAt, ready, passSeconds, jobs, insecure, engagedBrakes, windows }
        return { ...health, accounts, computes: views }
      },
    }
  }
}

const openWindows = ({ windows = new Map(), now }: SnapshotContext): Snapshot['windows'] =>
  new Map([...windows].map(([name, window]) => [name, window.at(now) !== undefined]))

type OpenSnapshot = ReturnType<ReturnType<typeof createSnapshotBuilder>>

/** In order of their keys. */
const entriesInOrder = ({ state }: AccountInput) => asOrderedMap(state.ledger.computes).values()

/** Yields after every 1,000 entries. All accounts are opened first: they are shown as of one time. */
export async function buildSnapshot(
  snapshot: OpenSnapshot,
  accounts: readonly AccountInput[],
  clock: Pick<Clock, 'yield'>,
): Promise<Snapshot> {
  const opened = accounts.map((input) => ({ ...snapshot.account(input), entries: entriesInOrder(input) }))
  for (const { add, close, entries } of opened) {
    for await (const chunk of inTurns(inChunks(entries, ENTRIES_PER_TURN), clock)) add(chunk)
    close()
  }
  return snapshot.finish()
}

/** In one turn, for commands that serve nobody else. */
export function takeSnapshot(accounts: readonly AccountInput[], context: SnapshotContext): Snapshot {
  const snapshot = createSnapshotBuilder()(context)
  for (const input of accounts) {
    const account = snapshot.account(input)
    account.add(entriesInOrder(input))
    account.close()
  }
  return snapshot.finish()
}

/** `inputs`: what may change of a view while its compute sleeps. */
type CachedView = Readonly<{ inputs: readonly unknown[]; view: ComputeView }>

/** A sleeping compute keeps its view until its entry or another input changes. */
function createViewer(
  { state, prices, preset, unreadable, hosts, advice, past, changes, savedSpend }: AccountInput,
  { now, staleAfter, activityLag, owners }: SnapshotContext,
  asleep: IdentityCache<ComputeEntry, CachedView>,
): (entry: ComputeEntry) => ComputeView {
  const { storedAt, failure } = state.persistence
  const then = instant(now + state.clock.offset)
  const stale = storedAt === undefined || now - storedAt > staleAfter * 1000
  // only the view of a stale state depends on it
  const sweptAt = stale ? storedAt : undefined
  // before the first sweep of a process nothing has failed yet
  const isUnreached = state.service.status !== undefined && !isReached(state.service.status)
  // a sweep that was not stored is not in the ledger
  const isUnobserved = isUnreached || failure !== undefined
  const atMost = instant(then + state.clock.uncertainty)
  const shared = { prices, preset, now: then, atMost, activityLag, owners }
  const viewContext = { ...shared, isUnobserved, stale, sweptAt, unreadable, hosts, past }
  return (entry) => {
    const project = state.ledger.projects.get(entry.ref.projectId)
    const parts = partsOf(computeKey(entry.ref), { advice, changes, savedSpend })
    const inputs = [project, stale, sweptAt, owners, isUnobserved ? now : undefined, parts.advice, past]
    const before = asleep.get(entry)
    if (before && isCurrent(before, inputs, parts)) return before.view
    const view = { ...computeView(entry, { ...viewContext, project }), ...parts }
    const isAsleep = entry.current === undefined && entry.compute.state === 'idle'
    if (isAsleep && !parts.changes && !mayHaveWoken(entry, project)) asleep.set(entry, { inputs, view })
    return view
  }
}

/** Never with an open change: its hold moves on. Tallies and sums are compared with the view: as inputs they would take memory for every compute. */
const isCurrent = (
  { inputs, view }: CachedView,
  now: CachedView['inputs'],
  { changes, changeTallies, saved }: ViewParts,
): boolean =>
  changes === undefined &&
  view.changeTallies === changeTallies &&
  view.saved === saved &&
  inputs.every((input, index) => input === now[index])
