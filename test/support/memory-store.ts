// A trivial driver of the store: maps in memory. What it loads are copies, as from a disk.
import { NO_ACCOUNT_COUNTERS, type AccountCounters } from '../../src/model/ledger/counters.ts'
import type { Gap, ObservedSetting } from '../../src/model/ledger/gap.ts'
import type { DayRow } from '../../src/model/ledger/quantities.ts'
import {
  NO_READING_COUNTS,
  type ComputeEntry,
  type DeletedCompute,
  type Ledger,
  type ReadingCounts,
  type SettledInterval,
} from '../../src/model/ledger/ledger.ts'
import type { ProjectEntry } from '../../src/model/ledger/project-entry.ts'
import type { ComputeStatistics } from '../../src/model/ledger/statistics.ts'
import type { Rollup } from '../../src/model/ledger/rollup.ts'
import type { Delivery } from '../../src/model/output/delivery.ts'
import { isNotifiable } from '../../src/model/output/event-kinds.ts'
import { eventKey, type OutboxEvent } from '../../src/model/output/outbox-event.ts'
import { reportKey, type StoredReport } from '../../src/model/output/report.ts'
import type { BudgetState } from '../../src/model/policy/budget.ts'
import type { Change, ChangeEvent, ChangeTally } from '../../src/model/policy/change.ts'
import type { ComputeAdvice, Recommendation } from '../../src/model/policy/recommendation.ts'
import type { SavedPart, SavedTally } from '../../src/model/policy/saved.ts'
import type { StoredBrake } from '../../src/model/policy/brakes.ts'
import type { ForcedChange, PlacedHold } from '../../src/model/policy/placed-hold.ts'
import type { Journal } from '../../src/model/ports/journal.ts'
import type { History } from '../../src/model/ports/history.ts'
import type { Outbox } from '../../src/model/ports/outbox.ts'
import type { AccountStore, Store, Write } from '../../src/model/ports/store.ts'
import { computeKey, isComputeRef, targetKey, type TargetRef } from '../../src/model/service/compute.ts'
import { failed, ok } from '../../src/std/result.ts'
import { historyOf } from './memory-history.ts'
import { addSavedPart, addTally, changesWith, hasCountedPart, journalOf } from './memory-journal.ts'
import { outboxOf } from './memory-outbox.ts'

/** Rows of one account by their keys. */
export type AccountRows = {
  readonly computes: Map<string, ComputeEntry>
  readonly deleted: Map<string, DeletedCompute>
  readonly projects: Map<string, ProjectEntry>
  readonly intervals: Map<string, SettledInterval>
  readonly days: Map<string, DayRow>
  readonly rollups: Map<string, Rollup>
  readonly statistics: Map<string, ComputeStatistics>
  readonly gaps: Map<string, Gap>
  readonly settings: Map<string, ObservedSetting>
  readonly recommendations: Map<string, Recommendation>
  readonly advice: Map<string, ComputeAdvice>
  readonly budgets: Map<string, BudgetState>
  readonly events: Map<string, OutboxEvent>
  readonly deliveries: Map<string, Delivery>
  readonly reports: Map<string, StoredReport>
  /** Job → JSON. */
  readonly jobStates: Map<string, string>
  changes: ReadonlyMap<string, Change>
  readonly changeEvents: ChangeEvent[]
  readonly changeTallies: Map<string, ChangeTally>
  readonly savedParts: Map<string, SavedPart>
  readonly savedTallies: Map<string, SavedTally>
  readonly placedHolds: Map<string, PlacedHold>
  readonly forcedChanges: Map<string, ForcedChange>
  readonly brakes: Map<string, StoredBrake>
  readings: ReadingCounts
  counters: AccountCounters
}

/** What outlives a store that is closed. */
export type Memory = { epoch: number; events: number; readonly accounts: Map<string, AccountRows> }

export const newMemory = (): Memory => ({ epoch: 0, events: 0, accounts: new Map() })

export function memoryStore(memory: Memory = newMemory()): Store & History & Outbox & Journal {
  memory.epoch += 1
  const { epoch } = memory
  return {
    epoch,
    isCurrent: () => memory.epoch === epoch,
    account: (name) => accountStore(name, memory),
    close: () => Promise.resolve(),
    ...historyOf((name) => rowsOf(memory, name)),
    ...outboxOf((name) => rowsOf(memory, name)),
    ...journalOf((name) => rowsOf(memory, name)),
  }
}

function rowsOf({ accounts }: Memory, name: string): AccountRows {
  const rows = accounts.get(name) ?? {
    computes: new Map(),
    deleted: new Map(),
    projects: new Map(),
    intervals: new Map(),
    days: new Map(),
    rollups: new Map(),
    statistics: new Map(),
    gaps: new Map(),
    settings: new Map(),
    recommendations: new Map(),
    advice: new Map(),
    budgets: new Map(),
    events: new Map(),
    deliveries: new Map(),
    reports: new Map(),
    jobStates: new Map(),
    changes: new Map(),
    changeEvents: [],
    changeTallies: new Map(),
    savedParts: new Map(),
    savedTallies: new Map(),
    placedHolds: new Map(),
    forcedChanges: new Map(),
    brakes: new Map(),
    readings: NO_READING_COUNTS,
    counters: NO_ACCOUNT_COUNTERS,
  }
  accounts.set(name, rows)
  return rows
}

const accountStore = (name: string, memory: Memory): AccountStore => ({
  load: () => Promise.resolve(ledgerOf(name, rowsOf(memory, name))),
  commit: (writes, { epoch } = {}) => {
    if (epoch !== undefined && epoch !== memory.epoch)
      return Promise.resolve(failed({ kind: 'fenced' } as const))
    const rows = rowsOf(memory, name)
    const numbered = new Map<string, number>()
    const nthOf = (key: string): number => {
      numbered.set(key, (numbered.get(key) ?? -1) + 1)
      return numbered.get(key) ?? 0
    }
    return Promise.try(() => {
      const known = new Set([
        ...rows.computes.keys(),
        ...rows.deleted.keys(),
        ...writes.flatMap(keyOfCompute),
      ])
      const journal = changesWith(rows.changes, writes)
      if (!journal || hasCountedPart(rows, writes)) return failed({ kind: 'conflict' } as const)
      const effects = writes.map((write) => effectOf(write, { rows, memory, known, nthOf }))
      for (const effect of effects) effect()
      rows.changes = journal
      return ok(undefined)
    })
  },
})

const keyOfCompute = (write: Write): readonly string[] =>
  write.kind === 'compute' ? [computeKey(write.entry.ref)] : []

type EffectContext = {
  readonly rows: AccountRows
  readonly memory: Memory
  readonly known: ReadonlySet<string>
  readonly nthOf: (key: string) => number
}

/** What a write does. @throws for a write that cannot be stored */
function effectOf(write: Write, { rows, memory, known, nthOf }: EffectContext): () => unknown {
  const keyOf = (ref: TargetRef): string => {
    const isKnown = !isComputeRef(ref) || known.has(computeKey(ref))
    if (!isKnown) throw new Error(`no entry is stored of ${targetKey(ref)}`)
    return targetKey(ref)
  }
  switch (write.kind) {
    case 'compute':
      return () => rows.computes.set(computeKey(write.entry.ref), write.entry)
    case 'deleted-compute': {
      const key = keyOf(write.compute.ref)
      return () => rows.computes.delete(key) && rows.deleted.set(key, write.compute)
    }
    case 'project':
      return () => rows.projects.set(write.entry.project.projectId, write.entry)
    case 'interval': {
      const { ref, interval } = write.interval
      const times = `${keyOf(ref)} ${interval.from.likely} ${interval.to?.likely}`
      const key = `${times} ${nthOf(times)}`
      return () => rows.intervals.has(key) || rows.intervals.set(key, write.interval)
    }
    case 'day': {
      const { ref, date, version } = write.day
      const key = `${keyOf(ref)} ${date}`
      return () => (rows.days.get(key)?.version ?? 0) <= version && rows.days.set(key, write.day)
    }
    case 'rollup': {
      const { ref, length, from } = write.rollup
      const key = `${keyOf(ref)} ${length} ${from}`
      return () => rows.rollups.set(key, write.rollup)
    }
    case 'statistics': {
      const key = keyOf(write.statistics.ref)
      return () => rows.statistics.set(key, write.statistics)
    }
    case 'gap': {
      const { ref, from } = write.gap
      const key = `${keyOf(ref)} ${from}`
      return () => rows.gaps.set(key, write.gap)
    }
    case 'setting': {
      const { ref, since } = write.setting
      const key = `${keyOf(ref)} ${since}`
      return () => rows.settings.set(key, write.setting)
    }
    case 'recommendation': {
      const { ref, id } = write.recommendation
      const key = `${keyOf(ref)} ${id}`
      return () => rows.recommendations.set(key, write.recommendation)
    }
    case 'advice': {
      const key = keyOf(write.advice.ref)
      return () => rows.advice.set(key, write.advice)
    }
    case 'budget': {
      const { name, state } = write
      return () => (state ? rows.budgets.set(name, state) : rows.budgets.delete(name))
    }
    case 'counters':
      return () => (rows.counters = write.counters)
    case 'reading-counts':
      return () => (rows.readings = write.counts)
    case 'event': {
      const { event } = write
      if (!isNotifiable(event)) return () => undefined
      const { topic, key } = eventKey(event)
      return () =>
        rows.events.has(key) || rows.events.set(key, { id: (memory.events += 1), topic, key, event })
    }
    case 'report':
      return () => rows.reports.set(reportKey(write.report), write.report)
    case 'delivery': {
      const { sink, kind, item } = write.delivery
      return () => rows.deliveries.set(`${sink} ${kind} ${item}`, write.delivery)
    }
    case 'change':
      return () => undefined
    case 'change-event':
      return () => rows.changeEvents.push(write.event)
    case 'change-tally':
      return () => addTally(rows.changeTallies, write.added)
    case 'saved-part':
      return () => addSavedPart(rows, write.part)
    case 'placed-hold':
      return () => rows.placedHolds.set(write.hold.id, write.hold)
    case 'forced-change': {
      const { changeId, forced } = write
      return () => (forced ? rows.forcedChanges.set(changeId, forced) : rows.forcedChanges.delete(changeId))
    }
    case 'brake':
      return () => rows.brakes.set(`${write.brake.name} ${write.brake.subject}`, write.brake)
    case 'job-state': {
      const { job, state } = write
      const json = JSON.stringify(state)
      return () => (state === undefined ? rows.jobStates.delete(job) : rows.jobStates.set(job, json))
    }
  }
}

const ledgerOf = (account: string, rows: AccountRows): Ledger => ({
  account,
  computes: copyOf(rows.computes),
  deleted: copyOf(rows.deleted),
  projects: copyOf(rows.projects),
  readings: copied(rows.readings),
  budgets: Object.fromEntries(copyOf(rows.budgets)),
  counters: copied(rows.counters),
})

/** Copies through JSON, at load only: entries are never changed in place. */
const copied = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value

const copyOf = <Value>(entries: ReadonlyMap<string, Value>): Map<string, Value> =>
  new Map([...entries].map(([key, entry]) => [key, copied(entry)] as const))

export type RowsByAccount = (account: string) => AccountRows
