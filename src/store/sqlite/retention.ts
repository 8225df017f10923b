// Deletes rows older than their retention, a few rows of a few computes at a time.
import type { DatabaseSync } from 'node:sqlite'
import { MAX_GAPS } from '../../model/ledger/gap.ts'
import { COARSE_STEP, FINE_STEP } from '../../model/ledger/rollup.ts'
import { DAY, SECOND, type Instant } from '../../model/units.ts'

/** Two weeks of daily load, up to 4,032 rows of a compute. */
const KEEP_FINE = 14 * DAY
/** A season, up to 2,232 rows of a compute. */
const KEEP_COARSE = 93 * DAY
const KEEP_INTERVALS = 93 * DAY
/** Recommendations rest on the last 28 days; a week more for those that look back. */
const KEEP_GAPS = 35 * DAY
/** Settings; recommendations, changes and holds after their end. */
const KEEP_ADVICE = 93 * DAY
/** Events, deliveries and reports requested by hand: reports look back as far. */
const KEEP_EVENTS = 93 * DAY
/** Weekly reports, five years, to compare seasons and budgets. Disk use: config/README.md. */
const KEEP_REPORTS = 1827 * DAY
/** Intervals of a compute that stay at any age: one that wakes seldom needs them for its gap statistics. */
const MIN_RETAINED_INTERVALS = 400
/** Rows of one kind and compute that are deleted at a time: far more than one commit adds, and fast. */
const ROWS = 64
/** Computes visited besides those of the commit: deleted and sleeping ones are reached too. */
const OTHERS = 16

const OLD_ROLLUPS = `
delete from rollup where compute = ?1 and length = ?2 and from_ms in (
  select from_ms from rollup where compute = ?1 and length = ?2 and from_ms < ?3 order by from_ms limit ${ROWS}
)
`

const OLD_EVENTS = `delete from event where id in (select id from event where at_ms < ? order by at_ms limit ${ROWS})`
const OLD_REPORTS = 'delete from report where made_ms < ?'
const OLD_BY_HAND = "delete from report where made_ms < ? and substr(slot, 9, 8) = '-manual-'"
const OLD_DELIVERIES = `
delete from delivery where (account, sink, kind, item) in (
  select account, sink, kind, item from delivery where made_ms < ? order by made_ms limit ${ROWS}
)
`

const OLD_INTERVALS = `
delete from awake_interval where compute = ?1 and from_ms in (
  select from_ms from awake_interval
  where compute = ?1
    and from_ms < min(?2, (
      select from_ms from awake_interval where compute = ?1 order by from_ms desc limit 1 offset ${MIN_RETAINED_INTERVALS}
    ))
  order by from_ms limit ${ROWS}
)
`

const OLD_GAPS = `
delete from gap where compute = ?1 and from_s in (
  select from_s from gap
  where compute = ?1
    and from_s < max(?2, ifnull((
      select from_s from gap where compute = ?1 order by from_s desc limit 1 offset ${MAX_GAPS - 1}
    ), 0))
  order by from_s limit ${ROWS}
)
`
/** The row of a project has no body: the project itself says whether it is deleted. */
const IS_DELETED = `(
  select case when endpoint_id <> '' then one.body is null else not exists (
    select 1 from project
    where account = one.account and project_id = one.project_id and body ->> '$.deletedAt' is null
  ) end
  from compute as one where id = ?1
)`
/** The setting in force at the cutoff stays, so that an existing compute always has one. */
const OLD_SETTINGS = `
delete from setting where compute = ?1 and since_ms < ?2 and (
  ${IS_DELETED} or since_ms < (select max(since_ms) from setting where compute = ?1 and since_ms < ?2)
)
`
const OLD_RECOMMENDATIONS = `
delete from recommendation
where compute = ?1 and (ended_ms < ?2 or opened_ms < ?2 and ended_ms is null and ${IS_DELETED})
`
/** Ended changes: the history of a change, and what it saved, go first. */
const OLD_CHANGE_EVENTS = `
delete from change_event where (account, change_id) in (
  select account, id from change where ended_ms < ?1 order by ended_ms limit ${ROWS}
)
`
const OLD_SAVED_PARTS = `
delete from saved_part where (account, change_id) in (
  select account, id from change where ended_ms < ?1 order by ended_ms limit ${ROWS}
)
`
const OLD_CHANGES = `
delete from change where rowid in (select rowid from change where ended_ms < ?1 order by ended_ms limit ${ROWS})
`
const OLD_HOLDS = `
delete from placed_hold where (account, id) in (
  select account, id from placed_hold where ended_ms < ?1 order by ended_ms limit ${ROWS}
)
`
/** Until then it counts the ids: a deleted compute may be recovered. */
const OLD_ADVICE = `
delete from advice
where compute = ?1 and ${IS_DELETED} and not exists (select 1 from recommendation where compute = ?1)
`

export function createRetention(database: DatabaseSync) {
  const oldRollups = database.prepare(OLD_ROLLUPS)
  const oldIntervals = database.prepare(OLD_INTERVALS)
  const oldGaps = database.prepare(OLD_GAPS)
  const oldSettings = database.prepare(OLD_SETTINGS)
  const oldRecommendations = database.prepare(OLD_RECOMMENDATIONS)
  const oldAdvice = database.prepare(OLD_ADVICE)
  const oldOutbox = [OLD_EVENTS, OLD_DELIVERIES, OLD_BY_HAND].map((sql) => database.prepare(sql))
  const oldReports = database.prepare(OLD_REPORTS)
  const oldChanges = [OLD_CHANGE_EVENTS, OLD_SAVED_PARTS, OLD_CHANGES, OLD_HOLDS].map((sql) =>
    database.prepare(sql),
  )
  const after = database.prepare(`select id from compute where id > ? order by id limit ${OTHERS}`)
  let visited = 0
  /** Inside a transaction, with the computes written in it. */
  return (written: Iterable<number>, now: Instant) => {
    for (const old of oldOutbox) old.run(now - KEEP_EVENTS)
    oldReports.run(now - KEEP_REPORTS)
    for (const old of oldChanges) old.run(now - KEEP_ADVICE)
    const others = after.all(visited).map(({ id }) => Number(id))
    visited = others.length < OTHERS ? 0 : (others.at(-1) ?? 0)
    for (const compute of new Set([...written, ...others])) {
      oldRollups.run(compute, FINE_STEP, now - KEEP_FINE)
      oldRollups.run(compute, COARSE_STEP, now - KEEP_COARSE)
      oldIntervals.run(compute, now - KEEP_INTERVALS)
      oldGaps.run(compute, (now - KEEP_GAPS) / SECOND)
      oldSettings.run(compute, now - KEEP_ADVICE)
      oldRecommendations.run(compute, now - KEEP_ADVICE)
      oldAdvice.run(compute)
    }
  }
}
