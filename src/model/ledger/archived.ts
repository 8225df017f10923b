// The sums of projects that are long gone: they stay with the account, and only the store knows the projects one by one.
import type { ArchivedTotals, ProjectEntry, RetiredSums } from './project-entry.ts'
import type { Bounds } from './quantities.ts'
import type { Ledger } from './ledger.ts'
import { asOrderedMap } from '../../std/ordered-map.ts'
import { micros, millis } from '../units.ts'

const NOBODY: ArchivedTotals = {
  projects: 0,
  awake: { low: millis(0), likely: millis(0), high: millis(0) },
  spend: { low: micros(0), likely: micros(0), high: micros(0) },
  observerOverhead: millis(0),
  observerSpend: micros(0),
  wakes: 0,
  suspends: 0,
  wakesCaused: 0,
}

/** The sums of all that are away with those of one more. */
export const addArchived = (before: ArchivedTotals = NOBODY, { retired }: ProjectEntry): ArchivedTotals => ({
  ...(retired ? added(before, retired, 1) : before),
  projects: before.projects + 1,
})

/** A ledger that knows again those in `back`, which were away: the account stays what it was. */
export function restoreArchived(ledger: Ledger, back: readonly ProjectEntry[]): Ledger {
  let projects = asOrderedMap(ledger.projects)
  let away = ledger.archived ?? NOBODY
  for (const { isArchived: _, ...one } of back) {
    projects = projects.with(one.project.projectId, one)
    away = { ...(one.retired ? added(away, one.retired, -1) : away), projects: away.projects - 1 }
  }
  return { ...ledger, projects, archived: away }
}

function added(sums: ArchivedTotals, one: RetiredSums, sign: 1 | -1): ArchivedTotals {
  const plus = <Value extends number>(a: Value, b: Value, unit: (value: number) => Value): Value =>
    unit(a + sign * b)
  const plusBounds = <Value extends number>(
    a: Bounds<Value>,
    b: Bounds<Value>,
    unit: (value: number) => Value,
  ): Bounds<Value> => ({
    low: plus(a.low, b.low, unit),
    likely: plus(a.likely, b.likely, unit),
    high: plus(a.high, b.high, unit),
  })
  return {
    ...sums,
    awake: plusBounds(sums.awake, one.awake, millis),
    spend: plusBounds(sums.spend, one.spend, micros),
    observerOverhead: plus(sums.observerOverhead, one.observerOverhead, millis),
    observerSpend: plus(sums.observerSpend, one.observerSpend, micros),
    wakes: sums.wakes + sign * one.wakes,
    suspends: sums.suspends + sign * one.suspends,
    wakesCaused: sums.wakesCaused + sign * one.wakesCaused,
  }
}
