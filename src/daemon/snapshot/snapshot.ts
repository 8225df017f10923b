// The state of all accounts as one immutable value for every output.
import { computeView } from '../../ledger/compute-view.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import { isReached } from '../../model/observation.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { AccountView, ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import type { Owners } from '../../model/policy/owner.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { instant, type Instant, type Seconds } from '../../model/units.ts'
import { createIdentityCache, type IdentityCache } from '../../std/cache.ts'
import { asOrderedMap } from '../../std/ordered-map.ts'
import { openAccount, type AccountInput } from './account-view.ts'

export type SnapshotContext = {
  readonly now: Instant
  readonly version: number
  readonly passSeconds: Seconds
  /** Time after the last sweep from which states count as stale. */
  readonly staleAfter: Seconds
  /** How late the service shows activity. */
  readonly activityLag: Seconds
  readonly owners: Owners
  /** Empty by default. */
  readonly jobs?: Snapshot['jobs']
}

/** Entries of one call of `add`, 1,000: some 10 ms of work. */
const ENTRIES_PER_TURN = 1000

export type OpenAccount = {
  readonly add: (entries: Iterable<ComputeEntry>) => void
  readonly close: () => void
}

/** A snapshot in the making: each account is opened, gets its entries, and is closed. */
export type OpenSnapshot = {
  readonly account: (input: AccountInput) => OpenAccount
  readonly finish: () => Snapshot
}

/** Opens one snapshot after another. Views of sleeping computes that did not change are reused. */
export type SnapshotBuilder = (context: SnapshotContext) => OpenSnapshot

export function createSnapshotBuilder(): SnapshotBuilder {
  const asleep = createIdentityCache<ComputeEntry, CachedView>()
  return (context) => {
    const views: ComputeView[] = []
    const accounts: AccountView[] = []
    const inputs: AccountInput[] = []
    return {
      account: (input) => {
        inputs.push(input)
        const { add, close } = openAccount(input, { views, viewOf: createViewer(input, { asleep, context }) })
        return { add, close: () => void accounts.push(close()) }
      },
      finish: () => {
        asleep.evictUnused()
        return {
          version: context.version,
          takenAt: context.now,
          ready:
            inputs.length > 0 &&
            inputs.every(({ state }) => isReached(state.service.status) && state.persistence.isPersisted),
          accounts,
          computes: views,
          passSeconds: context.passSeconds,
          jobs: context.jobs ?? [],
        }
      },
    }
  }
}

/** Entries of an account in order of their keys. */
const entriesInOrder = ({ state }: AccountInput): Iterable<ComputeEntry> =>
  asOrderedMap(state.ledger.computes).values()

/** Builds `snapshot` and yields after every 1,000 entries. */
export async function buildSnapshot(
  snapshot: OpenSnapshot,
  accounts: readonly AccountInput[],
  clock: Pick<Clock, 'yield'>,
): Promise<Snapshot> {
  for (const input of accounts) {
    const account = snapshot.account(input)
    let entries: ComputeEntry[] = []
    for (const entry of entriesInOrder(input)) {
      if (entries.push(entry) < ENTRIES_PER_TURN) continue
      account.add(entries)
      entries = []
      // oxlint-disable-next-line no-await-in-loop -- a scrape may be waiting
      await clock.yield()
    }
    account.add(entries)
    account.close()
  }
  return snapshot.finish()
}

/** A snapshot in one turn, for commands that serve nobody else. */
export function takeSnapshot(accounts: readonly AccountInput[], context: SnapshotContext): Snapshot {
  const snapshot = createSnapshotBuilder()(context)
  for (const input of accounts) {
    const account = snapshot.account(input)
    account.add(entriesInOrder(input))
    account.close()
  }
  return snapshot.finish()
}

/** Inputs of a view that may change while its compute sleeps. */
type ViewInputs = {
  readonly project: ProjectEntry | undefined
  readonly stale: boolean
  /** Undefined unless stale: only then a view depends on it. */
  readonly sweptAt: Instant | undefined
  readonly owners: Owners
}

type CachedView = ViewInputs & { readonly view: ComputeView }

const isSame = (a: ViewInputs, b: ViewInputs): boolean =>
  a.project === b.project && a.stale === b.stale && a.sweptAt === b.sweptAt && a.owners === b.owners

/** Views of entries. A sleeping compute keeps its view until its entry or one of the other inputs changes. */
function createViewer(
  { state, prices, preset, unreadable }: AccountInput,
  {
    asleep,
    context,
  }: { readonly asleep: IdentityCache<ComputeEntry, CachedView>; readonly context: SnapshotContext },
): (entry: ComputeEntry) => ComputeView {
  const { now, staleAfter, activityLag, owners } = context
  const then = instant(now + state.clock.offset)
  const stale = state.service.lastSweepAt === undefined || now - state.service.lastSweepAt > staleAfter * 1000
  const sweptAt = stale ? state.service.lastSweepAt : undefined
  const atMost = instant(then + state.clock.uncertainty)
  const viewContext = { prices, preset, now: then, atMost, activityLag, owners, stale, sweptAt, unreadable }
  return (entry) => {
    const project = state.ledger.projects.get(entry.ref.projectId)
    const before = asleep.get(entry)
    if (before && isSame(before, { project, stale, sweptAt, owners })) return before.view
    const view = computeView(entry, { ...viewContext, project })
    const isAsleep = entry.current === undefined && entry.compute.state === 'idle'
    if (isAsleep) asleep.set(entry, { project, stale, sweptAt, owners, view })
    return view
  }
}
