// For CSV, JSON lines and config/README.md.
import { parseCulpritKey } from '../../ledger/attribution/causes.ts'
import { cuTimeSum, spendOf } from '../../ledger/settle/cu-time.ts'
import type { ComputeRef } from '../../model/service/compute.ts'
import { mapBounds, type Bounds, type CuTimeByPrice, type DayRow } from '../../model/ledger/quantities.ts'
import type { Gap } from '../../model/ledger/gap.ts'
import type { SettledInterval } from '../../model/ledger/ledger.ts'
import type { ConnectionPeaks, SumAndPeak, Rollup } from '../../model/ledger/rollup.ts'
import { toIso } from '../../model/time.ts'
import { inMoney, millisInSeconds } from './compute-fields.ts'
import type { CsvCell } from './csv.ts'

type RowContext = Readonly<{
  /** Null when the project is no longer known. */
  projectName: string | null
  currency: string
}>

/** Column → meaning, and cell; undefined is an empty cell. */
export type ExportColumns<Row> = Readonly<
  Record<string, readonly [meaning: string, cell: (row: Row, context: RowContext) => CsvCell]>
>

const IDENTITY: ExportColumns<{ readonly ref: ComputeRef }> = {
  account: ['the name in the configuration', ({ ref }) => ref.account],
  project_id: ['id of its project', ({ ref }) => ref.projectId],
  project_name: ['name of the project, as last listed', (_, { projectName }) => projectName],
  endpoint_id: ['id of the compute', ({ ref }) => ref.endpointId],
}

const bounded = <Row>(
  name: string,
  meaning: string,
  of: (row: Row) => Bounds<number>,
): ExportColumns<Row> => ({
  [name]: [`${meaning}, the likely value`, (row) => of(row).likely],
  [`${name}_low`]: ['at least', (row) => of(row).low],
  [`${name}_high`]: ['at most', (row) => of(row).high],
})

type Used = { readonly cuTime: CuTimeByPrice }
const cuSecondsOf = ({ cuTime }: Used) => mapBounds(cuTimeSum(cuTime), millisInSeconds)
const moneyOf = ({ cuTime }: Used) => mapBounds(spendOf(cuTime), inMoney)

const COST: ExportColumns<Used> = {
  ...bounded('cu_seconds', 'size times time awake', cuSecondsOf),
  ...bounded('spend', 'what it cost', moneyOf),
  currency: ['currency of the spend', (_, { currency }) => currency],
}

const IDLE_TAIL: ExportColumns<{ readonly idleTail: number }> = {
  idle_tail_seconds: [
    'part of the awake time after the last activity',
    ({ idleTail }) => millisInSeconds(idleTail),
  ],
}

export const DAY_COLUMNS: ExportColumns<DayRow> = {
  ...IDENTITY,
  date: ["a day of the account's zone", ({ date }) => date],
  from: ['start of the day', ({ from }) => toIso(from)],
  to: ['end of the day', ({ to }) => toIso(to)],
  version: [
    '0 while the day is in progress; 1 when it ends; 1 more each time late facts restate it',
    ({ version }) => version,
  ],
  ...bounded('awake_seconds', 'time awake', ({ awake }: DayRow) => mapBounds(awake, millisInSeconds)),
  ...COST,
  ...IDLE_TAIL,
  extension_seconds: [
    'part of the awake time that readings of Dormouse added',
    ({ observerOverhead }) => millisInSeconds(observerOverhead),
  ],
  wakes: ['wakes, without restarts', ({ wakes }) => wakes],
}

function edge(end: 'from' | 'to', meaning: string): ExportColumns<SettledInterval> {
  const of = ({ interval: { from, to } }: SettledInterval) => (end === 'from' ? from : (to ?? from))
  return {
    [end]: [meaning, (row) => toIso(of(row).likely)],
    [`${end}_earliest`]: ['not before', (row) => toIso(of(row).earliest)],
    [`${end}_latest`]: ['not after', (row) => toIso(of(row).latest)],
    [`${end}_source`]: ['record, operation, poll (between two looks) or assumed', (row) => of(row).source],
  }
}

export const INTERVAL_COLUMNS: ExportColumns<SettledInterval> = {
  ...IDENTITY,
  ...edge('from', 'start of the awake interval'),
  ...edge('to', 'end of the awake interval'),
  began_with: ['wake or restart', ({ interval }) => (interval.restart ? 'restart' : 'wake')],
  ...COST,
  ...IDLE_TAIL,
}

const peak = (name: string, of: (connections: ConnectionPeaks) => SumAndPeak): ExportColumns<Rollup> => ({
  [`${name}_mean`]: [
    'client connections, mean over the readings',
    ({ connections }) => connections && of(connections).sum / connections.count,
  ],
  [`${name}_max`]: ['largest number at a reading', ({ connections }) => connections && of(connections).max],
})

export const ROLLUP_COLUMNS: ExportColumns<Rollup> = {
  ...IDENTITY,
  from: ['start of the interval', ({ from }) => toIso(from)],
  length_seconds: ['length of the interval, 300 or 3600', ({ length }) => length],
  active_seconds: ['time observed awake', ({ time }) => millisInSeconds(time.active)],
  idle_seconds: ['time observed asleep', ({ time }) => millisInSeconds(time.idle)],
  init_seconds: ['time observed starting', ({ time }) => millisInSeconds(time.init)],
  followed_seconds: [
    'part of the awake time in which looks followed the activity',
    ({ followed }) => millisInSeconds(followed),
  ],
  readings: ['readings with a result', ({ readings }) => readings],
  cu_min: ['smallest size while awake', ({ size }) => size?.min],
  cu_mean: ['mean size over the looks or readings', ({ size }) => size && size.sum / size.count],
  cu_max: ['largest size while awake', ({ size }) => size?.max],
  cu_source: ['fixed (by the record) or estimated (from the cache limit)', ({ size }) => size?.source],
  ...peak('connections', ({ all }) => all),
  ...peak('connections_active', ({ active }) => active),
  ...peak('connections_idle', ({ idle }) => idle),
  ...peak('connections_idle_in_transaction', ({ idleInTransaction }) => idleInTransaction),
  ...peak('connections_other', ({ other }) => other),
  connection_limit: [
    'connections that clients could have, the fewest at a reading',
    ({ connectionLimit }) => connectionLimit,
  ],
  suspended_idle_mean: [
    'idle connections at the last reading before a suspension, mean',
    ({ idleAtSuspension: idle }) => idle && idle.sum / idle.count,
  ],
  suspended_idle_max: ['the largest number of them', ({ idleAtSuspension }) => idleAtSuspension?.max],
  cache_hits: ['pages found in the file cache, without jumps at restarts', ({ cache }) => cache?.hits],
  cache_misses: ['pages not found in the file cache', ({ cache }) => cache?.misses],
  cache_warm_hits: [
    'part of the hits counted after the first 10 minutes of the server',
    ({ cache }) => cache?.warmHits,
  ],
  cache_warm_misses: ['part of the misses counted then', ({ cache }) => cache?.warmMisses],
  cache_seconds: [
    'time over which hits and misses were counted; it may begin before the interval',
    ({ cache }) => cache && millisInSeconds(cache.over),
  ],
  cache_used_bytes: ['largest use of the file cache at a reading', ({ cacheUsed }) => cacheUsed],
  cache_limit_bytes: ['size of the file cache at that reading', ({ cacheLimit }) => cacheLimit],
  working_set_bytes: [
    'largest working set, of the longest window that readings report',
    ({ workingSet }) => workingSet,
  ],
  arrivals: ['new client sessions', ({ use }) => use?.arrivals],
  active_sessions: [
    'mean number of statements running at a time',
    ({ use }) => (use && use.over > 0 ? use.activeTime / use.over : undefined),
  ],
  use_seconds: [
    'time over which arrivals and active_sessions were counted; it may begin before the interval',
    ({ use }) => use && millisInSeconds(use.over),
  ],
  longest_transaction_seconds: [
    'longest open transaction at a reading',
    ({ longestTransaction }) => longestTransaction,
  ],
  culprits: [
    'what kept it awake: cause, application, user and database, with the share of the readings',
    ({ culprits }) => culprits.map(culpritText).join('; '),
  ],
}

function culpritText({ culprit, share }: Rollup['culprits'][number]) {
  const { cause, application, user, database } = parseCulpritKey(culprit)
  const names = [application, user, database].filter(Boolean).join(' ')
  return `${cause}${names && ` ${names}`} ${Math.round(share * 100)} %`
}

export const GAP_COLUMNS: ExportColumns<Gap> = {
  ...IDENTITY,
  from: ['from when on no client was active', ({ from }) => toIso(from)],
  low_seconds: ['for at least this long', ({ low }) => low],
  high_seconds: ['for at most this long', ({ high }) => high],
  hidden_below_seconds: [
    'shorter gaps could not have been seen then; 0 where activity was followed',
    ({ hiddenBelow }) => hiddenBelow,
  ],
}
