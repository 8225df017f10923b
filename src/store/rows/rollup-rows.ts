// Rows of rollups. A new quantity needs a line here and a column in schema.ts.
import type { ComputeRef } from '../../model/service/compute.ts'
import type { ConnectionPeaks, CulpritShare, SumAndPeak, Rollup } from '../../model/ledger/rollup.ts'
import { bytes, cu, instant, millis, seconds } from '../../model/units.ts'
import type { HistoryCodec, Row, SqlValue } from './codec.ts'

/** Without the key columns. */
const COLUMNS: Readonly<Record<string, (rollup: Rollup) => SqlValue | undefined>> = {
  init_ms: ({ time }) => time.init,
  active_ms: ({ time }) => time.active,
  idle_ms: ({ time }) => time.idle,
  followed_ms: ({ followed }) => followed,
  readings: (rollup) => rollup.readings,
  size_count: ({ size }) => size?.count,
  size_sum: ({ size }) => size?.sum,
  size_min: ({ size }) => size?.min,
  size_max: ({ size }) => size?.max,
  size_source: ({ size }) => size?.source,
  connections_count: ({ connections }) => connections?.count,
  connections_sum: ({ connections }) => connections?.all.sum,
  connections_max: ({ connections }) => connections?.all.max,
  active_sum: ({ connections }) => connections?.active.sum,
  active_max: ({ connections }) => connections?.active.max,
  idle_sum: ({ connections }) => connections?.idle.sum,
  idle_max: ({ connections }) => connections?.idle.max,
  idle_in_transaction_sum: ({ connections }) => connections?.idleInTransaction.sum,
  idle_in_transaction_max: ({ connections }) => connections?.idleInTransaction.max,
  other_sum: ({ connections }) => connections?.other.sum,
  other_max: ({ connections }) => connections?.other.max,
  connection_limit: ({ connectionLimit }) => connectionLimit,
  suspensions: ({ idleAtSuspension }) => idleAtSuspension?.count,
  suspended_idle_sum: ({ idleAtSuspension }) => idleAtSuspension?.sum,
  suspended_idle_max: ({ idleAtSuspension }) => idleAtSuspension?.max,
  cache_hits: ({ cache }) => cache?.hits,
  cache_misses: ({ cache }) => cache?.misses,
  cache_warm_hits: ({ cache }) => cache?.warmHits,
  cache_warm_misses: ({ cache }) => cache?.warmMisses,
  cache_over_ms: ({ cache }) => cache?.over,
  cache_used: ({ cacheUsed }) => cacheUsed,
  cache_limit: ({ cacheLimit }) => cacheLimit,
  working_set: ({ workingSet }) => workingSet,
  arrivals: ({ use }) => use?.arrivals,
  statement_ms: ({ use }) => use?.activeTime,
  use_over_ms: ({ use }) => use?.over,
  longest_transaction: ({ longestTransaction }) => longestTransaction,
  culprits: ({ culprits }) =>
    culprits.length === 0
      ? undefined
      : JSON.stringify(culprits.map(({ culprit, share }) => [culprit, share])),
}

export const ROLLUP_ROWS: HistoryCodec<Rollup> = {
  table: 'rollup',
  key: ['length', 'from_ms'],
  columns: Object.keys(COLUMNS),
  toRow: (rollup) => [
    rollup.length,
    rollup.from,
    ...Object.values(COLUMNS).map((value) => value(rollup) ?? null),
  ],
  fromRow: rollupFromRow,
}

function rollupFromRow(ref: ComputeRef, row: Row): Rollup {
  const number = (name: string) => Number(row[name])
  const ms = (name: string) => millis(number(name))
  const part = <Value>(name: string, of: () => Value): Value | undefined =>
    row[name] === null ? undefined : of()
  return {
    ref,
    length: seconds(number('length')),
    from: instant(number('from_ms')),
    time: {
      init: ms('init_ms'),
      active: ms('active_ms'),
      idle: ms('idle_ms'),
    },
    followed: ms('followed_ms'),
    readings: number('readings'),
    size: part('size_count', () => ({
      count: number('size_count'),
      sum: number('size_sum'),
      min: cu(number('size_min')),
      max: cu(number('size_max')),
      source: row['size_source'] === 'estimated' ? 'estimated' : 'fixed',
    })),
    connections: part('connections_count', () => connectionsOf(number)),
    cache: part('cache_hits', () => ({
      hits: number('cache_hits'),
      misses: number('cache_misses'),
      warmHits: number('cache_warm_hits'),
      warmMisses: number('cache_warm_misses'),
      over: ms('cache_over_ms'),
    })),
    connectionLimit: part('connection_limit', () => number('connection_limit')),
    idleAtSuspension: part('suspensions', () => ({
      count: number('suspensions'),
      sum: number('suspended_idle_sum'),
      max: number('suspended_idle_max'),
    })),
    cacheUsed: part('cache_used', () => bytes(number('cache_used'))),
    cacheLimit: part('cache_limit', () => bytes(number('cache_limit'))),
    workingSet: part('working_set', () => bytes(number('working_set'))),
    use: part('arrivals', () => ({
      arrivals: number('arrivals'),
      activeTime: ms('statement_ms'),
      over: ms('use_over_ms'),
    })),
    longestTransaction: part('longest_transaction', () => seconds(number('longest_transaction'))),
    culprits: part('culprits', () => culpritsOf(String(row['culprits']))) ?? [],
  }
}

function connectionsOf(number: (name: string) => number): ConnectionPeaks {
  const peak = (name: string): SumAndPeak => ({ sum: number(`${name}_sum`), max: number(`${name}_max`) })
  return {
    count: number('connections_count'),
    all: peak('connections'),
    active: peak('active'),
    idle: peak('idle'),
    idleInTransaction: peak('idle_in_transaction'),
    other: peak('other'),
  }
}

const culpritsOf = (text: string) =>
  (JSON.parse(text) as [string, CulpritShare['share']][]).map(([culprit, share]) => ({ culprit, share }))
