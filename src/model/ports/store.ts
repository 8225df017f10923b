import type { Result } from '../../std/result.ts'
import type { Instant } from '../units.ts'
import type { AccountCounters } from '../ledger/counters.ts'
import type { Gap, ObservedSetting } from '../ledger/gap.ts'
import type { DayRow } from '../ledger/quantities.ts'
import type {
  ComputeEntry,
  DeletedCompute,
  Ledger,
  ReadingCounts,
  SettledInterval,
} from '../ledger/ledger.ts'
import type { ProjectEntry } from '../ledger/project-entry.ts'
import type { Rollup } from '../ledger/rollup.ts'
import type { ComputeStatistics } from '../ledger/statistics.ts'
import type { Delivery } from '../output/delivery.ts'
import type { Event } from '../output/event-kinds.ts'
import type { StoredReport } from '../output/report.ts'
import type { BudgetState } from '../policy/budget.ts'
import type { StoredBrake } from '../policy/brakes.ts'
import type { Change, ChangeEvent, ChangeTally } from '../policy/change.ts'
import type { ForcedChange, PlacedHold } from '../policy/placed-hold.ts'
import type { ComputeAdvice, Recommendation } from '../policy/recommendation.ts'
import type { SavedPart } from '../policy/saved.ts'

/** Replaces the earlier row with the same key. */
export type Write = Readonly<
  | { kind: 'compute'; entry: ComputeEntry }
  /** Also removes the entry of the compute. */
  | { kind: 'deleted-compute'; compute: DeletedCompute }
  | { kind: 'project'; entry: ProjectEntry }
  /** Its compute has an entry, stored or among these writes. */
  | { kind: 'interval'; interval: SettledInterval }
  | { kind: 'day'; day: DayRow }
  /** A finished bucket. */
  | { kind: 'rollup'; rollup: Rollup }
  | { kind: 'statistics'; statistics: ComputeStatistics }
  | { kind: 'gap'; gap: Gap }
  | { kind: 'setting'; setting: ObservedSetting }
  | { kind: 'recommendation'; recommendation: Recommendation }
  | { kind: 'advice'; advice: ComputeAdvice }
  /** Undefined: the budget was removed. */
  | { kind: 'budget'; name: string; state: BudgetState | undefined }
  | { kind: 'counters'; counters: AccountCounters }
  | { kind: 'reading-counts'; counts: ReadingCounts }
  /** Stored with what it reports: a crash loses none. Events that nobody is notified of are not stored. */
  | { kind: 'event'; event: Event }
  | { kind: 'report'; report: StoredReport }
  | { kind: 'delivery'; delivery: Delivery }
  /** Refuses the whole commit unless the stored version is `replaces`; undefined for a change that is not stored. */
  | { kind: 'change'; change: Change; replaces: number | undefined }
  /** Appended, never replaced. */
  | { kind: 'change-event'; event: ChangeEvent }
  /** Added to the stored one of the same compute, kind and outcome: in the commit that ends the change, so that it counts once. */
  | { kind: 'change-tally'; added: ChangeTally }
  /** Also added to the stored tally of the same compute or project and team. Refuses the whole commit where it is stored. */
  | { kind: 'saved-part'; part: SavedPart }
  | { kind: 'placed-hold'; hold: PlacedHold }
  /** Undefined: its time is over, or the change has ended. */
  | { kind: 'forced-change'; changeId: string; forced: ForcedChange | undefined }
  | { kind: 'brake'; brake: StoredBrake }
  /** Plain data; undefined removes it. */
  | { kind: 'job-state'; job: string; state: unknown }
>

export type WriteOf<Kind extends Write['kind']> = Extract<Write, { readonly kind: Kind }>

/**
 * `fenced`: another process has opened the store since. `conflict`: a change of the writes is not as the journal has it, or what it saved was
 * counted.
 */
export type CommitRefusal = { readonly kind: 'fenced' | 'conflict' }

export type CommitOptions = {
  /** Epoch of the caller's opening; without it the commit is not fenced. */
  readonly epoch?: number
  /**
   * Service time: rows that are older than their retention by it are deleted, a few with each commit. Without it none are, as the clock of the
   * machine may be wrong.
   */
  readonly retainedAt?: Instant | undefined
}

/** Durable: a method's effect survives once it resolves. */
export type AccountStore = {
  /** As last committed; empty for an account never seen. */
  load(): Promise<Ledger>
  /** In one transaction, or nothing. @throws when the store fails */
  commit(writes: readonly Write[], options?: CommitOptions): Promise<Result<void, CommitRefusal>>
}

export type Store = {
  /** Epoch of this opening for writing: larger by 1 than the one before. */
  readonly epoch: number
  /** Whether no other process has opened it since, at once; false where that cannot be read. */
  isCurrent(): boolean
  account(name: string): AccountStore
  close(): Promise<void>
}

/** A refusal is thrown like a failure of the store. @throws when nothing was written */
export async function commit(
  store: Pick<AccountStore, 'commit'>,
  writes: readonly Write[],
  options?: CommitOptions,
): Promise<void> {
  const committed = await store.commit(writes, options)
  if (!committed.ok) throw new Error(`${REFUSALS[committed.error.kind]}: nothing was written`)
}

const REFUSALS: Readonly<Record<CommitRefusal['kind'], string>> = {
  fenced: 'another process has opened the store since',
  conflict: 'a change was changed by somebody else since',
}

export const entriesOf = (writes: readonly Write[]): readonly ComputeEntry[] =>
  writes.flatMap((write) => (write.kind === 'compute' ? [write.entry] : []))

export const eventsOf = (writes: readonly Write[]): readonly Event[] =>
  writes.flatMap((write) => (write.kind === 'event' ? [write.event] : []))

export const eventWrites = (events: readonly Event[]): readonly Write[] =>
  events.map((event) => ({ kind: 'event', event }))

export const deliveryWrites = (deliveries: readonly Delivery[]): readonly Write[] =>
  deliveries.map((delivery) => ({ kind: 'delivery', delivery }))
