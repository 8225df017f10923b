// Settled history, page by page in bounded memory.
/* oxlint-disable no-await-in-loop -- one row or page after the other, with pauses */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { computeKey, type ComputeRef, type TargetRef } from '../../model/service/compute.ts'
import type { History } from '../../model/ports/history.ts'
import { instant, type Interval } from '../../model/units.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { NO_ENDPOINT, type Row, type SqlValue } from '../rows/codec.ts'
import { ADVICE_ROWS, GAP_ROWS, RECOMMENDATION_ROWS, SETTING_ROWS } from '../rows/advice-rows.ts'
import { awakeIntervalFromRow, DAY_ROWS, INTERVAL_ROWS, STATISTICS_ROWS } from '../rows/history-rows.ts'
import { ROLLUP_ROWS } from '../rows/rollup-rows.ts'

/** Rows, some hundred kB. */
const PAGE = 500

const NEXT_COMPUTES = `
select id, project_id, endpoint_id from compute
where account = ? and (project_id, endpoint_id) > (?, ?) order by project_id, endpoint_id limit ${PAGE}
`
export const ONE_COMPUTE = 'select id from compute where account = ? and project_id = ? and endpoint_id = ?'

const STATISTICS = `
select compute_statistics.* from compute join compute_statistics on compute = id
where account = ? and project_id = ? and endpoint_id = ?
`

const DAYS = `
select * from day as one where compute = ? and date > ? and from_ms < ? and to_ms > ?
  and version = (select max(version) from day where compute = one.compute and date = one.date)
order by date limit ${PAGE}
`
const INTERVALS = `
select * from awake_interval
where compute = ? and (from_ms, to_ms, nth) > (?, ?, ?) and from_ms < ? and to_ms > ?
order by from_ms, to_ms, nth limit ${PAGE}
`
/** Start of the interval that may extend into a span: those of one compute do not overlap. */
const FIRST_START = 'select max(from_ms) as from_ms from awake_interval where compute = ? and from_ms <= ?'
const TIMES_PAGE = 4 * PAGE
const TIMES = `
select from_ms, to_ms, nth, restart, sums ->> '$.idleTail' as tail from awake_interval
where compute = ? and (from_ms, to_ms, nth) > (?, ?, ?) and from_ms < ? and to_ms > ?
order by from_ms, to_ms, nth limit ${TIMES_PAGE}
`
const ROLLUPS = `
select * from rollup where compute = ? and length = ? and from_ms > ? and from_ms < ? order by from_ms limit ${PAGE}
`

const GAPS = `
select * from gap
where compute = ? and from_s > ? and from_s < ? / 1000.0 and from_s + high > ? / 1000.0
order by from_s limit ${PAGE}
`
const SETTINGS = `
select * from setting
where compute = ?1 and since_ms > ?2 and since_ms < ?3
  and since_ms >= ifnull((select max(since_ms) from setting where compute = ?1 and since_ms <= ?4), ?4)
order by since_ms limit ${PAGE}
`
const RECOMMENDATIONS = `
select * from recommendation
where compute = ?1 and (opened_ms, id) > (?2, ?3) and (ended_ms is null or ended_ms >= ?4)
  and (?5 is null or state in (select value from json_each(?5)))
order by opened_ms, id limit ${PAGE}
`
const ADVICE = 'select * from advice where compute = ?'

type StoredCompute = Readonly<{ id: number; ref: ComputeRef }>

export function createHistoryReader(database: DatabaseSync, clock: Clock): History {
  const computesOf = createComputes(database)
  const days = database.prepare(DAYS)
  const intervals = database.prepare(INTERVALS)
  const awakeTimes = createAwakeTimes(database)
  const rollups = database.prepare(ROLLUPS)
  const gaps = database.prepare(GAPS)
  const settings = database.prepare(SETTINGS)
  const recommendations = database.prepare(RECOMMENDATIONS)
  const advice = database.prepare(ADVICE)
  const statistics = database.prepare(STATISTICS)
  const pause = () => clock.yield()
  return {
    statistics: async (refs) => {
      const found = await lookUpEach(refs, pause, (ref) => {
        const row = statistics.get(ref.account, ref.projectId, ref.endpointId)
        return row && STATISTICS_ROWS.fromRow(ref, row)
      })
      return new Map(found.map((one) => [computeKey(one.ref), one]))
    },
    days: (account, span) =>
      rowsOf(computesOf(account, span.computes), pause, {
        page: (id, last) => days.all(id, last?.['date'] ?? '', span.to, span.from),
        item: DAY_ROWS.fromRow,
      }),
    intervals: (account, span) =>
      rowsOf(computesOf(account, span.computes), pause, {
        page: (id, last) => intervals.all(id, ...cursorOf(last), span.to, span.from),
        item: INTERVAL_ROWS.fromRow,
      }),
    awakeTimes: async function* times(account, span) {
      for (const compute of computesOf(account, span.computes))
        for (const page of awakeTimes(compute, span)) {
          yield page
          await pause()
        }
    },
    rollups: (account, span) =>
      rowsOf(computesOf(account, span.computes), pause, {
        page: (id, last) =>
          rollups.all(id, span.length, last?.['from_ms'] ?? span.from - span.length * 1000, span.to),
        item: ROLLUP_ROWS.fromRow,
      }),
    gaps: (account, span) =>
      rowsOf(computesOf(account, span.computes), pause, {
        page: (id, last) => gaps.all(id, last?.['from_s'] ?? -Infinity, span.to, span.from),
        item: GAP_ROWS.fromRow,
      }),
    settings: (account, span) =>
      rowsOf(computesOf(account, span.computes), pause, {
        page: (id, last) => settings.all(id, last?.['since_ms'] ?? -Infinity, span.to, span.from),
        item: SETTING_ROWS.fromRow,
      }),
    recommendations: (account, { states, since = instant(0), targets }) =>
      rowsOf(computesOf(account, targets?.map(storedRefOf)), pause, {
        page: (id, last) =>
          recommendations.all(
            id,
            last?.['opened_ms'] ?? -Infinity,
            last?.['id'] ?? '',
            since,
            states ? JSON.stringify(states) : null,
          ),
        item: RECOMMENDATION_ROWS.fromRow,
      }),
    advice: (account, { targets }) =>
      rowsOf(computesOf(account, targets?.map(storedRefOf)), pause, {
        page: (id) => advice.all(id),
        item: ADVICE_ROWS.fromRow,
      }),
  }
}

const storedRefOf = ({ account, projectId, endpointId = NO_ENDPOINT }: TargetRef): ComputeRef => ({
  account,
  projectId,
  endpointId,
})

async function lookUpEach<Key, Item>(
  keys: readonly Key[],
  pause: () => Promise<void>,
  find: (key: Key) => Item | undefined,
): Promise<readonly Item[]> {
  const found: Item[] = []
  for (const key of keys) {
    const item = find(key)
    if (item !== undefined) found.push(item)
    await pause()
  }
  return found
}

/** Cursor behind the last interval read; without one, before all others. */
const cursorOf = (last: Row | undefined): readonly [SqlValue, SqlValue, SqlValue] => [
  last?.['from_ms'] ?? -Infinity,
  last?.['to_ms'] ?? 0,
  last?.['nth'] ?? 0,
]

function createAwakeTimes(database: DatabaseSync) {
  const firstStart = database.prepare(FIRST_START)
  const times = database.prepare(TIMES)
  times.setReturnArrays(true)
  return function* pagesOf({ id, ref }: StoredCompute, { from, to }: Interval) {
    let last: readonly SQLOutputValue[] = [firstStart.get(id, from)?.['from_ms'] ?? -Infinity, 0, 0]
    for (;;) {
      const [fromMs = 0, toMs = 0, nth = 0] = last
      // arrays, by setReturnArrays: rows with names take twice the time
      const all: readonly unknown[] = times.all(id, fromMs, toMs, nth, to, from)
      const rows = all.filter((row): row is readonly SQLOutputValue[] => Array.isArray(row))
      if (rows.length > 0) yield { ref, times: rows.map(awakeIntervalFromRow) }
      if (rows.length < TIMES_PAGE) return
      last = rows.at(-1) ?? last
    }
  }
}

type Kind<Item> = Readonly<{
  /** Rows after `last`, in order of time. */
  page: (compute: number, last: Row | undefined) => readonly Row[]
  item: (ref: ComputeRef, row: Row) => Item
}>

async function* rowsOf<Item>(
  computes: Iterable<StoredCompute>,
  pause: () => Promise<void>,
  { page, item }: Kind<Item>,
): AsyncGenerator<Item> {
  for (const { id, ref } of computes) {
    let rows: readonly Row[] = []
    do {
      rows = page(id, rows.at(-1))
      for (const row of rows) yield item(ref, row)
      await pause()
    } while (rows.length === PAGE)
  }
}

/** The stored ones of `wanted` in their order; without it all of the account, in order of ids. */
function createComputes(database: DatabaseSync) {
  const next = database.prepare(NEXT_COMPUTES)
  const byRef = database.prepare(ONE_COMPUTE)
  const lookUp = (ref: ComputeRef): readonly StoredCompute[] => {
    const row = byRef.get(ref.account, ref.projectId, ref.endpointId)
    return row ? [{ id: Number(row['id']), ref }] : []
  }
  const page = (account: string, last: StoredCompute | undefined): readonly StoredCompute[] =>
    next
      .all(account, last?.ref.projectId ?? '', last?.ref.endpointId ?? '')
      .map(({ id, project_id: projectId, endpoint_id: endpointId }) => ({
        id: Number(id),
        ref: { account, projectId: String(projectId), endpointId: String(endpointId) },
      }))
  return function* find(account: string, wanted: readonly ComputeRef[] | undefined): Iterable<StoredCompute> {
    if (wanted) {
      yield* wanted.filter((ref) => ref.account === account).flatMap(lookUp)
      return
    }
    let computes: readonly StoredCompute[] = []
    do {
      computes = page(account, computes.at(-1))
      yield* computes
    } while (computes.length === PAGE)
  }
}
