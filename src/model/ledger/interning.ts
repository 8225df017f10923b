// Ledger entries share equal parts: a large fleet has very many, nearly all alike.
import type { ComputeRef } from '../service/compute.ts'
import type { Evidence } from './evidence.ts'
import type { ComputeEntry, OpenDay, Totals } from './ledger.ts'

/** Its lists have no spare capacity. */
export function internEntry(entry: ComputeEntry): ComputeEntry {
  const { ref, compute, settled, counters, evidence, reading } = entry
  const { unproductive } = counters
  const sums = withoutEmpty(settled)
  return {
    ...entry,
    compute: { ...compute, projectId: ref.projectId, endpointId: ref.endpointId },
    settled: sums,
    totals: areEqual(settled, entry.totals) ? sums : withoutEmpty(entry.totals),
    provisional: compact(entry.provisional),
    counters: unproductive ? { ...counters, unproductive: shareEmpty(unproductive) } : counters,
    days: compact(entry.days.map((day) => withRef(ref, day))),
    evidence: compactEvidence(evidence),
    reading: { ...reading, lags: compact(reading.lags) },
  }
}

const NOTHING: readonly never[] = Object.freeze([])
const NO_ENTRIES = Object.freeze({})

/** A copy of a list that grew has no spare capacity. */
const compact = <Item>(list: readonly Item[]): readonly Item[] => (list.length === 0 ? NOTHING : list.slice())

const shareEmpty = <Entries extends object>(entries: Entries) =>
  Object.keys(entries).length === 0 ? (NO_ENTRIES as Entries) : entries

const withoutEmpty = (totals: Totals): Totals => ({
  ...totals,
  cuTime: shareEmpty(totals.cuTime),
  attribution: shareEmpty(totals.attribution),
})

const areEqual = (a: Totals, b: Totals) => a === b || JSON.stringify(a) === JSON.stringify(b)

const withRef = (ref: ComputeRef, { settled, lastRestated }: OpenDay): OpenDay => ({
  settled: { ...settled, ref },
  lastRestated: lastRestated && { ...lastRestated, ref },
})

const compactEvidence = (evidence: Evidence): Evidence => ({
  ...evidence,
  operations: compact(evidence.operations),
  states: compact(evidence.states),
  starts: compact(evidence.starts),
  ends: compact(evidence.ends),
  activities: compact(evidence.activities),
  sizes: compact(evidence.sizes),
  measured: compact(evidence.measured),
  ownSessions: compact(evidence.ownSessions),
  attributed: compact(evidence.attributed),
})
