import { addArchived } from '../model/ledger/archived.ts'
import type { Ledger } from '../model/ledger/ledger.ts'
import type { Batch } from '../model/ports/store.ts'
import { computeKey } from '../model/service/compute.ts'
import { asOrderedMap } from '../std/ordered-map.ts'

/** The ledger after a commit of `batch`. Retired computes and archived projects leave memory. */
export function ledgerAfter(ledger: Ledger, batch: Batch): Ledger {
  let { archived } = ledger
  let computes = asOrderedMap(ledger.computes)
  let projects = asOrderedMap(ledger.projects)
  for (const entry of batch.computes) {
    const key = computeKey(entry.ref)
    computes = entry.isRetired ? computes.without(key) : computes.with(key, entry)
  }
  for (const entry of batch.projects) {
    const { projectId } = entry.project
    projects = entry.isArchived ? projects.without(projectId) : projects.with(projectId, entry)
    if (entry.isArchived) archived = addArchived(archived, entry)
  }
  return {
    ...ledger,
    computes,
    projects,
    ...(archived && { archived }),
    readings: batch.readings ?? ledger.readings,
    counters: batch.counters ?? ledger.counters,
    budgets: budgetsAfter(ledger.budgets, batch.budgets),
  }
}

/** An undefined state removes a budget that is no longer configured. */
const budgetsAfter = (before: Ledger['budgets'], changes: Batch['budgets']): Ledger['budgets'] =>
  Object.fromEntries(
    Object.entries({ ...before, ...changes }).flatMap(([name, state]) => (state ? [[name, state]] : [])),
  )
