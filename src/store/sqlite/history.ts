// Queries over what was settled, a page at a time: memory stays bounded however much is asked for.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { ComputeAwakeIntervals, History, HistorySpan } from '../../model/ports/history.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { dayFromRow } from '../rows/day-rows.ts'
import { awakeIntervalFromRow, intervalFromRow } from '../rows/interval-rows.ts'
import { createYielder } from './yield.ts'
import { rollupFromRow } from '../rows/rollup-rows.ts'

/** Rows of one page, some hundred kilobytes. */
const PAGE = 500

const NEXT_COMPUTES = `
select id, project_id, endpoint_id from compute
where account = ? and (project_id, endpoint_id) > (?, ?) order by project_id, endpoint_id limit ${PAGE}
`
const ONE_COMPUTE = 'select id from compute where account = ? and project_id = ? and endpoint_id = ?'

const PROJECT = 'select body from project where account = ? and project_id = ?'

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
/** Where what may reach into a span begins: intervals of one compute do not overlap. */
const REACHING = 'select max(from_ms) as from_ms from awake_interval where compute = ? and from_ms <= ?'
const TIMES_PAGE = 4 * PAGE
const TIMES = `
select from_ms, to_ms, nth, restart, sums ->> '$.idleTail' as tail from awake_interval
where compute = ? and (from_ms, to_ms, nth) > (?, ?, ?) and from_ms < ? and to_ms > ?
order by from_ms, to_ms, nth limit ${TIMES_PAGE}
`
const LAST_INTERVALS =
  'select * from awake_interval where compute = ? order by from_ms desc, to_ms desc, nth desc limit ?'
const ROLLUPS = `
select * from rollup where compute = ? and length = ? and from_ms > ? and from_ms < ? order by from_ms limit ${PAGE}
`

type Row = Readonly<Record<string, SQLOutputValue>>
type Known = { readonly id: number; readonly ref: ComputeRef }

export function createHistoryReader(database: DatabaseSync, clock: Clock): History {
  const computesOf = createComputes(database)
  const days = database.prepare(DAYS)
  const intervals = database.prepare(INTERVALS)
  const awakeTimes = createAwakeTimes(database)
  const lastIntervals = database.prepare(LAST_INTERVALS)
  const rollups = database.prepare(ROLLUPS)
  const project = database.prepare(PROJECT)
  const pause = createYielder(clock)
  return {
    projects: async (account, projectIds) => {
      const found: ProjectEntry[] = []
      for (const projectId of projectIds) {
        const row = project.get(account, projectId)
        if (row) found.push(JSON.parse(String(row['body'])) as ProjectEntry)
        // oxlint-disable-next-line no-await-in-loop -- one row after the other, with pauses, is the point
        await pause()
      }
      return found
    },
    days: (account, span) =>
      rowsOf(computesOf(account, span.computes), pause, {
        page: (id, last) => days.all(id, last?.['date'] ?? '', span.to, span.from),
        item: dayFromRow,
      }),
    intervals: (account, span) =>
      rowsOf(computesOf(account, span.computes), pause, {
        page: (id, last) => intervals.all(id, ...placeOf(last), span.to, span.from),
        item: intervalFromRow,
      }),
    awakeTimes: async function* times(account, span) {
      for (const known of computesOf(account, span.computes))
        for (const page of awakeTimes(known, span)) {
          yield page
          // oxlint-disable-next-line no-await-in-loop -- one page after the other, with pauses, is the point
          await pause()
        }
    },
    lastIntervals: async (ref, count) => {
      await pause()
      const [compute] = computesOf(ref.account, [ref])
      const rows = compute ? lastIntervals.all(compute.id, count) : []
      return rows.map((row) => intervalFromRow(ref, row)).toReversed()
    },
    rollups: (account, span) =>
      rowsOf(computesOf(account, span.computes), pause, {
        page: (id, last) =>
          rollups.all(id, span.length, last?.['from_ms'] ?? span.from - span.length * 1000, span.to),
        item: rollupFromRow,
      }),
  }
}

/** The key of an interval within its compute; before all of them at first. */
const placeOf = (last: Row | undefined): readonly [SQLOutputValue, SQLOutputValue, SQLOutputValue] => [
  last?.['from_ms'] ?? -Infinity,
  last?.['to_ms'] ?? 0,
  last?.['nth'] ?? 0,
]

/** Pages of one compute after the other. */
function createAwakeTimes(
  database: DatabaseSync,
): (known: Known, span: HistorySpan) => Iterable<ComputeAwakeIntervals> {
  const reaching = database.prepare(REACHING)
  const times = database.prepare(TIMES)
  times.setReturnArrays(true)
  return function* pagesOf({ id, ref }, { from, to }) {
    let last: readonly SQLOutputValue[] = [reaching.get(id, from)?.['from_ms'] ?? -Infinity, 0, 0]
    for (;;) {
      const [fromMs = 0, toMs = 0, nth = 0] = last
      // arrays, as asked for: half of the time goes into rows with names
      const rows = times.all(id, fromMs, toMs, nth, to, from) as unknown as readonly SQLOutputValue[][]
      if (rows.length > 0) yield { ref, times: rows.map(awakeIntervalFromRow) }
      if (rows.length < TIMES_PAGE) return
      last = rows.at(-1) ?? last
    }
  }
}

type Kind<Item> = {
  /** Up to a page of rows of the compute, in order of time, those after `last`. */
  readonly page: (compute: number, last: Row | undefined) => readonly Row[]
  readonly item: (ref: ComputeRef, row: Row) => Item
}

async function* rowsOf<Item>(
  computes: Iterable<Known>,
  pause: () => Promise<void>,
  { page, item }: Kind<Item>,
): AsyncGenerator<Item> {
  for (const { id, ref } of computes) {
    let rows: readonly Row[] = []
    do {
      rows = page(id, rows.at(-1))
      for (const row of rows) yield item(ref, row)
      // oxlint-disable-next-line no-await-in-loop -- one page after the other, with pauses, is the point
      await pause()
    } while (rows.length === PAGE)
  }
}

type Computes = (account: string, wanted: readonly ComputeRef[] | undefined) => Iterable<Known>

/** Those wanted, as far as they are known, in their order; all, in the order of their ids. */
function createComputes(database: DatabaseSync): Computes {
  const next = database.prepare(NEXT_COMPUTES)
  const one = database.prepare(ONE_COMPUTE)
  const found = (ref: ComputeRef): readonly Known[] => {
    const row = one.get(ref.account, ref.projectId, ref.endpointId)
    return row ? [{ id: Number(row['id']), ref }] : []
  }
  const page = (account: string, last: Known | undefined): readonly Known[] =>
    next
      .all(account, last?.ref.projectId ?? '', last?.ref.endpointId ?? '')
      .map(({ id, project_id: projectId, endpoint_id: endpointId }) => ({
        id: Number(id),
        ref: { account, projectId: String(projectId), endpointId: String(endpointId) },
      }))
  return (account, wanted) =>
    wanted
      ? wanted.filter((ref) => ref.account === account).flatMap(found)
      : pages((last) => page(account, last))
}

function* pages(page: (last: Known | undefined) => readonly Known[]): Generator<Known> {
  let known: readonly Known[] = []
  do {
    known = page(known.at(-1))
    yield* known
  } while (known.length === PAGE)
}
