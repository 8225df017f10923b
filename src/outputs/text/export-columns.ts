// The columns of an export, for CSV, JSON lines and config/README.md.
import { parseCulpritKey } from '../../ledger/attribution/causes.ts'
import { cuTimeSum, spendOf } from '../../ledger/settle/cu-time.ts'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { DayRow } from '../../model/ledger/day.ts'
import { mapBounds, type Bounds, type CuTimeByPrice } from '../../model/ledger/quantities.ts'
import type { SettledInterval } from '../../model/ledger/ledger.ts'
import type { ConnectionPeaks, SumAndPeak, Rollup } from '../../model/ledger/rollup.ts'
import { toIso } from '../../model/time.ts'
import { inMoney, millisInSeconds } from './compute-fields.ts'
import type { CsvCell } from './csv.ts'

/** Values beside the row. */
export type RowContext = {
  /** Null when the project is no longer known. */
  readonly projectName: string | null
  readonly currency: string
}

export type ExportColumn<Row> = {
  readonly name: string
  readonly meaning: string
  readonly cell: (row: Row, context: RowContext) => CsvCell
}

const IDENTITY: readonly ExportColumn<{ readonly ref: ComputeRef }>[] = [
  { name: 'account', meaning: 'the name in the configuration', cell: ({ ref }) => ref.account },
  { name: 'project_id', meaning: 'id of its project', cell: ({ ref }) => ref.projectId },
  {
    name: 'project_name',
    meaning: 'name of the project, as last listed',
    cell: (_, { projectName }) => projectName,
  },
  { name: 'endpoint_id', meaning: 'id of the compute', cell: ({ ref }) => ref.endpointId },
]

/** The three columns of a value with bounds. */
const bounded = <Row>(
  name: string,
  meaning: string,
  of: (row: Row) => Bounds<number>,
): readonly ExportColumn<Row>[] => [
  { name, meaning: `${meaning}, the likely value`, cell: (row) => of(row).likely },
  { name: `${name}_low`, meaning: 'at least', cell: (row) => of(row).low },
  { name: `${name}_high`, meaning: 'at most', cell: (row) => of(row).high },
]

const COST: readonly ExportColumn<{ readonly cuTime: CuTimeByPrice }>[] = [
  ...bounded<{ readonly cuTime: CuTimeByPrice }>('cu_seconds', 'size times time awake', ({ cuTime }) =>
    mapBounds(cuTimeSum(cuTime), millisInSeconds),
  ),
  ...bounded<{ readonly cuTime: CuTimeByPrice }>('spend', 'what it cost', ({ cuTime }) =>
    mapBounds(spendOf(cuTime), inMoney),
  ),
  { name: 'currency', meaning: 'currency of the spend', cell: (_, { currency }) => currency },
]

export const DAY_COLUMNS: readonly ExportColumn<DayRow>[] = [
  ...IDENTITY,
  { name: 'date', meaning: "a day of the account's zone", cell: ({ date }) => date },
  { name: 'from', meaning: 'start of the day', cell: ({ from }) => toIso(from) },
  { name: 'to', meaning: 'end of the day', cell: ({ to }) => toIso(to) },
  {
    name: 'version',
    meaning: '0 while the day is in progress; 1 when it ends; 1 more each time late facts restate it',
    cell: ({ version }) => version,
  },
  ...bounded<DayRow>('awake_seconds', 'time awake', ({ awake }) => mapBounds(awake, millisInSeconds)),
  ...COST,
  {
    name: 'idle_tail_seconds',
    meaning: 'part of the awake time after the last activity',
    cell: ({ idleTail }) => millisInSeconds(idleTail),
  },
  {
    name: 'extension_seconds',
    meaning: 'part of the awake time that readings of Dormouse added',
    cell: ({ observerOverhead }) => millisInSeconds(observerOverhead),
  },
  { name: 'wakes', meaning: 'wakes, without restarts', cell: ({ wakes }) => wakes },
]

const edge = (end: 'from' | 'to', meaning: string): readonly ExportColumn<SettledInterval>[] => {
  const of = ({ interval }: SettledInterval): SettledInterval['interval']['from'] =>
    end === 'from' ? interval.from : (interval.to ?? interval.from)
  return [
    { name: end, meaning, cell: (row) => toIso(of(row).likely) },
    { name: `${end}_earliest`, meaning: 'not before', cell: (row) => toIso(of(row).earliest) },
    { name: `${end}_latest`, meaning: 'not after', cell: (row) => toIso(of(row).latest) },
    {
      name: `${end}_source`,
      meaning: 'record, operation, poll (between two looks) or assumed',
      cell: (row) => of(row).source,
    },
  ]
}

export const INTERVAL_COLUMNS: readonly ExportColumn<SettledInterval>[] = [
  ...IDENTITY,
  ...edge('from', 'start of the awake interval'),
  ...edge('to', 'end of the awake interval'),
  {
    name: 'began_with',
    meaning: 'wake or restart',
    cell: ({ interval }) => (interval.restart ? 'restart' : 'wake'),
  },
  ...COST,
  {
    name: 'idle_tail_seconds',
    meaning: 'part of the awake time after the last activity',
    cell: ({ idleTail }) => millisInSeconds(idleTail),
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
    meaning: 'largest number at a reading',
    cell: ({ connections }) => (connections ? of(connections).max : null),
  },
]

export const ROLLUP_COLUMNS: readonly ExportColumn<Rollup>[] = [
  ...IDENTITY,
  { name: 'from', meaning: 'start of the interval', cell: ({ from }) => toIso(from) },
  { name: 'length_seconds', meaning: 'length of the interval, 300 or 3600', cell: ({ length }) => length },
  { name: 'active_seconds', meaning: 'time observed awake', cell: (row) => millisInSeconds(row.time.active) },
  { name: 'idle_seconds', meaning: 'time observed asleep', cell: (row) => millisInSeconds(row.time.idle) },
  { name: 'init_seconds', meaning: 'time observed starting', cell: (row) => millisInSeconds(row.time.init) },
  { name: 'readings', meaning: 'readings with a result', cell: ({ readings }) => readings },
  { name: 'cu_min', meaning: 'smallest size while awake', cell: ({ size }) => size?.min ?? null },
  {
    name: 'cu_mean',
    meaning: 'mean size over the looks or readings',
    cell: ({ size }) => (size ? size.sum / size.count : null),
  },
  { name: 'cu_max', meaning: 'largest size while awake', cell: ({ size }) => size?.max ?? null },
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
    meaning: 'pages found in the file cache, without jumps at restarts',
    cell: ({ cache }) => cache?.hits ?? null,
  },
  {
    name: 'cache_misses',
    meaning: 'pages not found in the file cache',
    cell: ({ cache }) => cache?.misses ?? null,
  },
  {
    name: 'cache_seconds',
    meaning: 'time over which hits and misses were counted; it may begin before the interval',
    cell: ({ cache }) => (cache ? millisInSeconds(cache.over) : null),
  },
  {
    name: 'cache_used_bytes',
    meaning: 'largest use of the file cache at a reading',
    cell: ({ cacheUsed }) => cacheUsed ?? null,
  },
  {
    name: 'working_set_bytes',
    meaning: 'largest working set, of the longest window that readings report',
    cell: ({ workingSet }) => workingSet ?? null,
  },
  { name: 'arrivals', meaning: 'new client sessions', cell: ({ use }) => use?.arrivals ?? null },
  {
    name: 'active_sessions',
    meaning: 'mean number of statements running at a time',
    cell: ({ use }) => (use && use.over > 0 ? use.activeTime / use.over : null),
  },
  {
    name: 'use_seconds',
    meaning: 'time over which arrivals and active_sessions were counted; it may begin before the interval',
    cell: ({ use }) => (use ? millisInSeconds(use.over) : null),
  },
  {
    name: 'longest_transaction_seconds',
    meaning: 'longest open transaction at a reading',
    cell: ({ longestTransaction }) => longestTransaction ?? null,
  },
  {
    name: 'culprits',
    meaning: 'what kept it awake: cause, application, user and database, with the share of the readings',
    cell: ({ culprits }) => culprits.map(culpritText).join('; '),
  },
]

function culpritText({ culprit, share }: Rollup['culprits'][number]): string {
  const { cause, application, user, database } = parseCulpritKey(culprit)
  const names = [application, user, database].filter(Boolean).join(' ')
  return `${cause}${names && ` ${names}`} ${Math.round(share * 100)} %`
}
