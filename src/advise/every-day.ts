// Days of a compute by its rows. A day without awake time has no row: of a compute that sleeps on weekends two of seven are missing.
import { DAY, earliest, instant, type Interval } from '../model/units.ts'
import { NO_TIME } from '../ledger/settle/cu-time.ts'
import type { DayRow } from '../model/ledger/quantities.ts'

/** A row, or time as long as a day at the most, about, in which the compute slept. */
export type KnownDay = Interval & Pick<DayRow, 'awake' | 'cuTime'>

/** Rows in order, and the days between them that have none, from the start of `known`, or of an earlier row, until its end. Nothing without a row. */
export function everyDay(rows: readonly DayRow[], known: Interval): readonly KnownDay[] {
  const [first] = rows
  if (!first) return []
  const days: KnownDay[] = []
  let from = earliest(known.from, first.from)
  for (const row of rows) {
    days.push(...sleptDays({ from, to: row.from }), row)
    from = row.to
  }
  return [...days, ...sleptDays({ from, to: known.to })]
}

/** Equal parts, as near to a day as whole parts can be. */
function sleptDays({ from, to }: Interval): readonly KnownDay[] {
  if (from >= to) return []
  const count = Math.max(1, Math.round((to - from) / DAY))
  const edge = (at: number) => instant(Math.round(from + ((to - from) * at) / count))
  return Array.from({ length: count }, (_, at) => ({
    from: edge(at),
    to: edge(at + 1),
    awake: NO_TIME,
    cuTime: {},
  }))
}
