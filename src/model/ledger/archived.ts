// Totals of archived projects: the account keeps the sums, the store keeps the projects.
import type { ArchivedTotals, ProjectEntry, RetiredSums } from './project-entry.ts'
import { addBounds, scaleBounds } from './quantities.ts'
import type { Ledger } from './ledger.ts'
import { asOrderedMap } from '../../std/ordered-map.ts'
import { micros, millis } from '../units.ts'

const NO_ARCHIVED_TOTALS: ArchivedTotals = {
  projects: 0,
  awake: { low: millis(0), likely: millis(0), high: millis(0) },
  spend: { low: micros(0), likely: micros(0), high: micros(0) },
  observerOverhead: millis(0),
  observerSpend: micros(0),
  wakes: 0,
  suspends: 0,
  wakesCaused: 0,
}

/** Adds a project to the totals of archived projects. */
export const addArchived = (
  before: ArchivedTotals = NO_ARCHIVED_TOTALS,
  { retired }: ProjectEntry,
): ArchivedTotals => ({
  ...(retired ? addSums(before, retired, 1) : before),
  projects: before.projects + 1,
})

/** Moves archived projects back into the ledger; the account's totals stay the same. */
export function restoreArchived(ledger: Ledger, restored: readonly ProjectEntry[]): Ledger {
  let projects = asOrderedMap(ledger.projects)
  let archived = ledger.archived ?? NO_ARCHIVED_TOTALS
  for (const { isArchived: _, ...entry } of restored) {
    projects = projects.with(entry.project.projectId, entry)
    const totals = entry.retired ? addSums(archived, entry.retired, -1) : archived
    archived = { ...totals, projects: archived.projects - 1 }
  }
  return { ...ledger, projects, archived }
}

const addSums = (sums: ArchivedTotals, retired: RetiredSums, sign: 1 | -1): ArchivedTotals => ({
  ...sums,
  awake: addBounds(sums.awake, scaleBounds(retired.awake, sign, millis), millis),
  spend: addBounds(sums.spend, scaleBounds(retired.spend, sign, micros), micros),
  observerOverhead: millis(sums.observerOverhead + sign * retired.observerOverhead),
  observerSpend: micros(sums.observerSpend + sign * retired.observerSpend),
  wakes: sums.wakes + sign * retired.wakes,
  suspends: sums.suspends + sign * retired.suspends,
  wakesCaused: sums.wakesCaused + sign * retired.wakesCaused,
})
