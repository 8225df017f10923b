// Keeps accounts small: a large fleet has very many of them, nearly all alike.
import type { Compute, ComputeRef } from '../service/compute.ts'
import type { Evidence } from './evidence.ts'
import type { ComputeEntry, PublishedCounters, OpenDay, Totals } from './ledger.ts'
import type { ReadingState } from './reading-state.ts'

/** The same account with nothing twice: parts that say the same are one, and lists take the room of what is in them. */
export function internEntry(account: ComputeEntry): ComputeEntry {
  const { ref, compute, settled, evidence, reading } = account
  const sums = withoutEmpty(settled)
  return {
    ...account,
    compute: withIdsOf(ref, compute),
    settled: sums,
    totals: saysTheSame(settled, account.totals) ? sums : withoutEmpty(account.totals),
    provisional: exactly(account.provisional),
    counters: withUnproductive(account.counters),
    days: exactly(account.days.map((day) => withRef(ref, day))),
    evidence: exactEvidence(evidence),
    reading: exactReading(reading),
  }
}

const NOTHING: readonly never[] = Object.freeze([])
const NO_ENTRIES = Object.freeze({})

/** A list that grew has room for more. */
const exactly = <Item>(list: readonly Item[]): readonly Item[] => (list.length === 0 ? NOTHING : list.slice())

const filled = <Entries extends object>(entries: Entries): Entries =>
  Object.keys(entries).length === 0 ? (NO_ENTRIES as Entries) : entries

const withoutEmpty = (totals: Totals): Totals => ({
  ...totals,
  cuTime: filled(totals.cuTime),
  attribution: filled(totals.attribution),
})

const withUnproductive = (counters: PublishedCounters): PublishedCounters =>
  counters.unproductive ? { ...counters, unproductive: filled(counters.unproductive) } : counters

const saysTheSame = (a: Totals, b: Totals): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

const withIdsOf = ({ projectId, endpointId }: ComputeRef, compute: Compute): Compute => ({
  ...compute,
  projectId,
  endpointId,
})

const withRef = (ref: ComputeRef, { settled, lastRestated }: OpenDay): OpenDay => ({
  settled: { ...settled, ref },
  lastRestated: lastRestated && { ...lastRestated, ref },
})

const exactEvidence = (evidence: Evidence): Evidence => ({
  ...evidence,
  operations: exactly(evidence.operations),
  states: exactly(evidence.states),
  starts: exactly(evidence.starts),
  ends: exactly(evidence.ends),
  activities: exactly(evidence.activities),
  sizes: exactly(evidence.sizes),
  measured: exactly(evidence.measured),
  ownSessions: exactly(evidence.ownSessions),
  attributed: exactly(evidence.attributed),
})

const exactReading = (reading: ReadingState): ReadingState => ({
  ...reading,
  lags: exactly(reading.lags),
  gapCounts: exactly(reading.gapCounts),
})
