// Settled awake intervals as rows: the edges in columns, what was summed up over them as JSON.
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import type { ComputeRef } from '../model/compute.ts'
import type { Edge, EdgeSource } from '../model/evidence.ts'
import type { SettledInterval } from '../model/ledger.ts'
import { instant } from '../model/units.ts'

type Row = Readonly<Record<string, SQLOutputValue>>

export const PUT_INTERVAL = `
insert into awake_interval (
  compute, from_ms, from_earliest_ms, from_latest_ms, from_source, to_ms, to_earliest_ms, to_latest_ms, to_source, restart, sums
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
`

/** @throws for an interval that goes on: it is not settled */
export function intervalValues(compute: number, settled: SettledInterval): SQLInputValue[] {
  const { ref: _, interval, ...sums } = settled
  const { from, to, restart } = interval
  if (!to) throw new Error('an interval that goes on cannot be settled')
  return [compute, ...edgeValues(from), ...edgeValues(to), restart ? 1 : 0, JSON.stringify(sums)]
}

const edgeValues = ({ likely, earliest, latest, source }: Edge): SQLInputValue[] => [
  likely,
  earliest,
  latest,
  source,
]

export function intervalOf(ref: ComputeRef, row: Row): SettledInterval {
  const to = edgeOf(row, 'to')
  const sums = JSON.parse(String(row['sums'])) as Omit<SettledInterval, 'ref' | 'interval'>
  const interval = { from: edgeOf(row, 'from'), to, knownUntil: to.likely, restart: row['restart'] === 1 }
  return { ref, interval, ...sums }
}

const edgeOf = (row: Row, end: 'from' | 'to'): Edge => ({
  earliest: instant(Number(row[`${end}_earliest_ms`])),
  likely: instant(Number(row[`${end}_ms`])),
  latest: instant(Number(row[`${end}_latest_ms`])),
  source: row[`${end}_source`] as EdgeSource,
})
