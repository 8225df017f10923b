// Rows of a compute's awake intervals, days and statistics. What is asked for is in columns, sums are JSON.
import type { DayRow } from '../../model/ledger/quantities.ts'
import type { Edge, EdgeSource } from '../../model/ledger/evidence.ts'
import type { LikelyAwakeInterval, SettledInterval } from '../../model/ledger/ledger.ts'
import type { ComputeStatistics } from '../../model/ledger/statistics.ts'
import { computeKey } from '../../model/service/compute.ts'
import { instant, millis } from '../../model/units.ts'
import type { HistoryCodec, Row, SqlValue } from './codec.ts'

/** `nth`: among the compute's intervals with the same start and end. */
type NumberedInterval = Readonly<{ settled: SettledInterval; nth: number }>

/** Whole seconds cause equal starts and ends. They are settled together, so the numbers are stable. */
export function createNumbering(): (settled: SettledInterval) => NumberedInterval {
  const counts = new Map<string, number>()
  return (settled) => {
    const { from, to } = settled.interval
    const key = `${computeKey(settled.ref)} ${from.likely} ${to?.likely}`
    const nth = counts.get(key) ?? 0
    counts.set(key, nth + 1)
    return { settled, nth }
  }
}

type Sums = Omit<SettledInterval, 'ref' | 'interval'>

/** `toRow` throws for an interval in progress, which is never settled. */
export const INTERVAL_ROWS: HistoryCodec<SettledInterval, NumberedInterval> = {
  table: 'awake_interval',
  key: ['from_ms', 'to_ms', 'nth'],
  columns: [
    'from_earliest_ms',
    'from_latest_ms',
    'from_source',
    'to_earliest_ms',
    'to_latest_ms',
    'to_source',
    'restart',
    'sums',
  ],
  toRow: ({ settled, nth }) => {
    const { ref: _, interval, ...sums } = settled
    const { from, to, restart } = interval
    if (!to) throw new Error('an interval in progress cannot be settled')
    const edges = [from, to].flatMap(({ earliest, latest, source }) => [earliest, latest, source])
    return [from.likely, to.likely, nth, ...edges, restart ? 1 : 0, JSON.stringify(sums)]
  },
  fromRow: (ref, row) => {
    const to = edgeOf(row, 'to')
    const interval = { from: edgeOf(row, 'from'), to, knownUntil: to.likely, restart: row['restart'] === 1 }
    return { ref, interval, ...(JSON.parse(String(row['sums'])) as Sums) }
  },
}

/** Interval from the columns from, to, nth, restart and tail. */
export const awakeIntervalFromRow = ([
  from,
  to,
  ,
  restart,
  tail,
]: readonly SqlValue[]): LikelyAwakeInterval => ({
  from: instantOf(from),
  to: instantOf(to),
  tail: millis(Number(tail)),
  restart: restart === 1,
})

const edgeOf = (row: Row, end: 'from' | 'to'): Edge => ({
  earliest: instantOf(row[`${end}_earliest_ms`]),
  likely: instantOf(row[`${end}_ms`]),
  latest: instantOf(row[`${end}_latest_ms`]),
  source: row[`${end}_source`] as EdgeSource,
})

type DaySums = Omit<DayRow, 'ref' | 'date' | 'version' | 'from' | 'to'>

export const DAY_ROWS: HistoryCodec<DayRow> = {
  table: 'day',
  key: ['date', 'version'],
  columns: ['from_ms', 'to_ms', 'sums'],
  toRow: (day) => {
    const { ref: _, date, version, from, to, ...sums } = day
    return [date, version, from, to, JSON.stringify(sums)]
  },
  fromRow: (ref, row) => ({
    ref,
    date: String(row['date']),
    version: Number(row['version']),
    from: instantOf(row['from_ms']),
    to: instantOf(row['to_ms']),
    ...(JSON.parse(String(row['sums'])) as DaySums),
  }),
}

export const STATISTICS_ROWS: HistoryCodec<ComputeStatistics> = {
  table: 'compute_statistics',
  key: [],
  columns: ['updated_ms', 'gap_counts'],
  toRow: ({ updatedAt, gapCounts }) => [updatedAt, JSON.stringify(gapCounts)],
  fromRow: (ref, row) => ({
    ref,
    gapCounts: JSON.parse(String(row['gap_counts'])) as readonly number[],
    updatedAt: instantOf(row['updated_ms']),
  }),
}

const instantOf = (value: SqlValue | undefined) => instant(Number(value))
