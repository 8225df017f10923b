// Lets go of what is older than it is kept, a few rows of a few computes at a time: never one big delete.
import type { DatabaseSync } from 'node:sqlite'
import { COARSE_STEP, FINE_STEP } from '../../model/ledger/rollup.ts'
import type { Instant } from '../../model/units.ts'

const DAY = 86_400_000
/** Sizing looks back over two weeks of days and nights. Doubled, a compute that never sleeps takes 4,032 rows more. */
const KEEP_FINE = 14 * DAY
/** A season. Doubled, a compute that never sleeps takes 2,232 rows more. */
const KEEP_COARSE = 93 * DAY
const KEEP_INTERVALS = 93 * DAY
/** As long as reports look back. Doubled, what was told is listed for half a year. */
const KEEP_TOLD = 93 * DAY
/** Five years, to compare seasons and budgets. Doubled, they take twice the disk: config/README.md states how much that is. */
const KEEP_REPORTS = 1827 * DAY
/** However old they are, so many intervals of a compute are kept: what wakes seldom shows its habits only in many gaps. */
const MOST_GAPS = 400
/** Rows of one kind and compute let go of at a time: many more than come in, and over in a moment. */
const ROWS = 64
/** Computes visited beside those that were written: so the ones that are gone or asleep are reached, too. */
const OTHERS = 16

const OLD_ROLLUPS = `
delete from rollup where compute = ?1 and length = ?2 and from_ms in (
  select from_ms from rollup where compute = ?1 and length = ?2 and from_ms < ?3 order by from_ms limit ${ROWS}
)
`

const OLD_EVENTS = `
delete from event where id in (select id from event where at_ms < ? order by at_ms limit ${ROWS})
`

const OLD_DELIVERIES = `
delete from delivery where (account, sink, kind, item) in (
  select account, sink, kind, item from delivery where made_ms < ? order by made_ms limit ${ROWS}
)
`

const OLD_REPORTS = 'delete from report where made_ms < ?'

/** The week has its own beside them. */
const OLD_BY_HAND = "delete from report where made_ms < ? and substr(slot, 9, 8) = '-manual-'"

const OLD_INTERVALS = `
delete from awake_interval where compute = ?1 and from_ms in (
  select from_ms from awake_interval
  where compute = ?1
    and from_ms < min(?2, (
      select from_ms from awake_interval where compute = ?1 order by from_ms desc limit 1 offset ${MOST_GAPS}
    ))
  order by from_ms limit ${ROWS}
)
`

/** To be called inside a transaction with the computes that were written in it. */
export type Retention = (written: Iterable<number>, now: Instant) => void

export function createRetention(database: DatabaseSync): Retention {
  const oldRollups = database.prepare(OLD_ROLLUPS)
  const oldIntervals = database.prepare(OLD_INTERVALS)
  const oldEvents = database.prepare(OLD_EVENTS)
  const oldReports = database.prepare(OLD_REPORTS)
  const oldByHand = database.prepare(OLD_BY_HAND)
  const oldDeliveries = database.prepare(OLD_DELIVERIES)
  const after = database.prepare(`select id from compute where id > ? order by id limit ${OTHERS}`)
  let visited = 0
  return (written, now) => {
    oldEvents.run(now - KEEP_TOLD)
    oldReports.run(now - KEEP_REPORTS)
    oldByHand.run(now - KEEP_TOLD)
    oldDeliveries.run(now - KEEP_TOLD)
    const others = after.all(visited).map(({ id }) => Number(id))
    visited = others.length < OTHERS ? 0 : (others.at(-1) ?? 0)
    for (const compute of new Set([...written, ...others])) {
      oldRollups.run(compute, FINE_STEP, now - KEEP_FINE)
      oldRollups.run(compute, COARSE_STEP, now - KEEP_COARSE)
      oldIntervals.run(compute, now - KEEP_INTERVALS)
    }
  }
}
