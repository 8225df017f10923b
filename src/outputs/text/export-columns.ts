// What an export of the ledger tells, column by column: for CSV, for lines of JSON, and for the README.
import { parseCulpritKey } from '../../ledger/attribution/causes.ts'
import { cuTimeSum, spendOf } from '../../ledger/settle/totals.ts'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { DayRow } from '../../model/ledger/day.ts'
import type { Bounds, CuTimeByPrice, SettledInterval } from '../../model/ledger/ledger.ts'
import type { ConnectionPeaks, SumAndPeak, Rollup } from '../../model/ledger/rollup.ts'
import { toIso } from '../../model/time.ts'
import type { Instant } from '../../model/units.ts'
import type { CsvCell } from './csv.ts'

/** What a row does not hold itself. */
export type RowContext = {
  /** Null when the project is not known any more. */
  readonly projectName: string | null
  readonly currency: string
}

export type ExportColumn<Row> = {
  readonly name: string
  readonly meaning: string
  readonly cell: (row: Row, about: RowContext) => CsvCell
}

const PLACE: readonly ExportColumn<{ readonly ref: ComputeRef }>[] = [
  { name: 'account', meaning: 'the name in the configuration', cell: ({ ref }) => ref.account },
  { name: 'project_id', meaning: 'its project', cell: ({ ref }) => ref.projectId },
  {
    name: 'project_name',
    meaning: 'as last listed',
    cell: (_, { projectName }) => projectName,
  },
  { name: 'endpoint_id', meaning: 'the compute', cell: ({ ref }) => ref.endpointId },
]

const time = (at: Instant): string => toIso(at)
const seconds = (millis: number): number => millis / 1000

/** Three columns of a value with its bounds. */
const bounded = <Row>(
  name: string,
  meaning: string,
  of: (row: Row) => Bounds<number>,
): readonly ExportColumn<Row>[] => [
  { name, meaning: `${meaning}, the likely value`, cell: (row) => of(row).likely },
  { name: `${name}_low`, meaning: 'at least', cell: (row) => of(row).low },
  { name: `${name}_high`, meaning: 'at most', cell: (row) => of(row).high },
]

const scaled = ({ low, likely, high }: Bounds<number>, unit: number): Bounds<number> => ({
  low: low / unit,
  likely: likely / unit,
  high: high / unit,
})

const COST: readonly ExportColumn<{ readonly cuTime: CuTimeByPrice }>[] = [
  ...bounded<{ readonly cuTime: CuTimeByPrice }>('cu_seconds', 'size times time awake', ({ cuTime }) =>
    scaled(cuTimeSum(cuTime), 1000),
  ),
  ...bounded<{ readonly cuTime: CuTimeByPrice }>('spend', 'what it cost', ({ cuTime }) =>
    scaled(spendOf(cuTime), 1_000_000),
  ),
  { name: 'currency', meaning: 'of the spend', cell: (_, { currency }) => currency },
]

export const DAY_COLUMNS: readonly ExportColumn<DayRow>[] = [
  ...PLACE,
  { name: 'date', meaning: "a day of the account's zone", cell: ({ date }) => date },
  { name: 'from', meaning: 'where that day begins', cell: ({ from }) => time(from) },
  { name: 'to', meaning: 'where it ends', cell: ({ to }) => time(to) },
  {
    name: 'version',
    meaning: '0 while the day goes on; 1 as first told; one more each time later facts restated it',
    cell: ({ version }) => version,
  },
  ...bounded<DayRow>('awake_seconds', 'time awake', ({ awake }) => scaled(awake, 1000)),
  ...COST,
  {
    name: 'idle_tail_seconds',
    meaning: 'of it awake after the last activity',
    cell: ({ idleTail }) => seconds(idleTail),
  },
  {
    name: 'extension_seconds',
    meaning: 'of it added by readings of Dormouse',
    cell: ({ extension }) => seconds(extension),
  },
  { name: 'wakes', meaning: 'restarts not counted', cell: ({ wakes }) => wakes },
]

const edge = (end: 'from' | 'to', meaning: string): readonly ExportColumn<SettledInterval>[] => {
  const of = ({ interval }: SettledInterval): SettledInterval['interval']['from'] =>
    end === 'from' ? interval.from : (interval.to ?? interval.from)
  return [
    { name: end, meaning, cell: (row) => time(of(row).likely) },
    { name: `${end}_earliest`, meaning: 'not before', cell: (row) => time(of(row).earliest) },
    { name: `${end}_latest`, meaning: 'not after', cell: (row) => time(of(row).latest) },
    {
      name: `${end}_source`,
      meaning: 'record, operation, poll (between two looks) or assumed',
      cell: (row) => of(row).source,
    },
  ]
}

export const INTERVAL_COLUMNS: readonly ExportColumn<SettledInterval>[] = [
  ...PLACE,
  ...edge('from', 'when it woke'),
  ...edge('to', 'when it was suspended'),
  {
    name: 'began_with',
    meaning: 'wake or restart',
    cell: ({ interval }) => (interval.restart ? 'restart' : 'wake'),
  },
  ...COST,
  {
    name: 'idle_tail_seconds',
    meaning: 'of it awake after the last activity',
    cell: ({ idleTail }) => seconds(idleTail),
  },
]

const peak = (
  name: string,
  of: (connections: ConnectionPeaks) => SumAndPeak,
): readonly ExportColumn<Rollup>[] => [
  {
    name: `${name}_mean`,
    meaning: 'client connections, mean over the readings',
    cell: ({ connections }) => (connections ? of(connections).sum / connections.count : null),
  },
  {
    name: `${name}_max`,
    meaning: 'the most at a reading',
    cell: ({ connections }) => (connections ? of(connections).max : null),
  },
]

export const ROLLUP_COLUMNS: readonly ExportColumn<Rollup>[] = [
  ...PLACE,
  { name: 'from', meaning: 'where the stretch begins', cell: ({ from }) => time(from) },
  { name: 'length_seconds', meaning: '300 or 3600', cell: ({ length }) => length },
  { name: 'active_seconds', meaning: 'seen awake', cell: (row) => seconds(row.time.active) },
  { name: 'idle_seconds', meaning: 'seen asleep', cell: (row) => seconds(row.time.idle) },
  { name: 'init_seconds', meaning: 'seen starting', cell: (row) => seconds(row.time.init) },
  { name: 'readings', meaning: 'readings that read something', cell: ({ readings }) => readings },
  { name: 'cu_min', meaning: 'size while awake', cell: ({ size }) => size?.min ?? null },
  {
    name: 'cu_mean',
    meaning: 'over the looks or readings',
    cell: ({ size }) => (size ? size.sum / size.count : null),
  },
  { name: 'cu_max', meaning: 'likewise', cell: ({ size }) => size?.max ?? null },
  {
    name: 'cu_source',
    meaning: 'fixed (by the record) or estimated (from the cache limit)',
    cell: ({ size }) => size?.source ?? null,
  },
  ...peak('connections', ({ all }) => all),
  ...peak('connections_active', ({ active }) => active),
  ...peak('connections_idle', ({ idle }) => idle),
  ...peak('connections_idle_in_transaction', ({ idleInTransaction }) => idleInTransaction),
  ...peak('connections_other', ({ other }) => other),
  {
    name: 'cache_hits',
    meaning: 'pages, grown within one incarnation',
    cell: ({ cache }) => cache?.hits ?? null,
  },
  { name: 'cache_misses', meaning: 'likewise', cell: ({ cache }) => cache?.misses ?? null },
  {
    name: 'cache_seconds',
    meaning: 'over how long they grew; it may begin before the stretch',
    cell: ({ cache }) => (cache ? seconds(cache.over) : null),
  },
  { name: 'cache_used_bytes', meaning: 'the most at a reading', cell: ({ cacheUsed }) => cacheUsed ?? null },
  {
    name: 'working_set_bytes',
    meaning: 'the most touched within the longest window a reading tells of',
    cell: ({ workingSet }) => workingSet ?? null,
  },
  { name: 'arrivals', meaning: 'new sessions of others', cell: ({ use }) => use?.arrivals ?? null },
  {
    name: 'active_sessions',
    meaning: 'statements running at a time, on average',
    cell: ({ use }) => (use && use.over > 0 ? use.activeTime / use.over : null),
  },
  {
    name: 'use_seconds',
    meaning: 'over how long the two were counted; it may begin before the stretch',
    cell: ({ use }) => (use ? seconds(use.over) : null),
  },
  {
    name: 'longest_transaction_seconds',
    meaning: 'the oldest open at a reading',
    cell: ({ longestTransaction }) => longestTransaction ?? null,
  },
  {
    name: 'culprits',
    meaning: 'who held it awake, as application, user and database, with their share of the readings',
    cell: ({ culprits }) => culprits.map(culpritText).join('; '),
  },
]

function culpritText({ culprit, share }: Rollup['culprits'][number]): string {
  const { cause, application, user, database } = parseCulpritKey(culprit)
  const names = [application, user, database].filter(Boolean).join(' ')
  return `${cause}${names && ` ${names}`} ${Math.round(share * 100)} %`
}
