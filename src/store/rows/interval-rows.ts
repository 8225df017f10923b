// Row codec of settled awake intervals: edges in columns, sums as JSON.
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { Edge, EdgeSource } from '../../model/ledger/evidence.ts'
import type { LikelyAwakeInterval, SettledInterval } from '../../model/ledger/ledger.ts'
import { instant, millis } from '../../model/units.ts'

type Row = Readonly<Record<string, SQLOutputValue>>

export const PUT_INTERVAL = `
insert into awake_interval (
  compute, from_ms, from_earliest_ms, from_latest_ms, from_source, to_ms, to_earliest_ms, to_latest_ms, to_source, nth, restart, sums
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict do nothing
`

/** Interval, and its number among the compute's intervals with the same start and end. */
export type NumberedInterval = { readonly settled: SettledInterval; readonly nth: number }

/**
 * Numbers intervals with equal start and end, which exist because the service writes whole seconds. Intervals that end at the same
 * instant are settled together, so the number is the same when a batch is written again.
 */
export function* numberedIntervals(intervals: readonly SettledInterval[]): Generator<NumberedInterval> {
  const counts = new Map<string, number>()
  for (const settled of intervals) {
    const { from, to } = settled.interval
    const key = `${computeKey(settled.ref)} ${from.likely} ${to?.likely}`
    const nth = counts.get(key) ?? 0
    counts.set(key, nth + 1)
    yield { settled, nth }
  }
}

/** @throws for an interval in progress, which is never settled */
export function intervalValues(compute: number, { settled, nth }: NumberedInterval): SQLInputValue[] {
  const { ref: _, interval, ...sums } = settled
  const { from, to, restart } = interval
  if (!to) throw new Error('an interval in progress cannot be settled')
  return [compute, ...edgeValues(from), ...edgeValues(to), nth, restart ? 1 : 0, JSON.stringify(sums)]
}

const edgeValues = ({ likely, earliest, latest, source }: Edge): SQLInputValue[] => [
  likely,
  earliest,
  latest,
  source,
]

export function intervalFromRow(ref: ComputeRef, row: Row): SettledInterval {
  const to = edgeOf(row, 'to')
  const sums = JSON.parse(String(row['sums'])) as Omit<SettledInterval, 'ref' | 'interval'>
  const interval = { from: edgeOf(row, 'from'), to, knownUntil: to.likely, restart: row['restart'] === 1 }
  return { ref, interval, ...sums }
}

/** Decodes the columns from, to, nth, restart and tail. */
export const awakeIntervalFromRow = ([
  from,
  to,
  ,
  restart,
  tail,
]: readonly SQLOutputValue[]): LikelyAwakeInterval => ({
  from: instant(Number(from)),
  to: instant(Number(to)),
  tail: millis(Number(tail)),
  restart: restart === 1,
})

const edgeOf = (row: Row, end: 'from' | 'to'): Edge => ({
  earliest: instant(Number(row[`${end}_earliest_ms`])),
  likely: instant(Number(row[`${end}_ms`])),
  latest: instant(Number(row[`${end}_latest_ms`])),
  source: row[`${end}_source`] as EdgeSource,
})
