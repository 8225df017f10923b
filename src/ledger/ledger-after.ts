import { addArchived } from '../model/ledger/archived.ts'
import type { Ledger } from '../model/ledger/ledger.ts'
import type { BudgetState } from '../model/policy/budget.ts'
import type { Write } from '../model/ports/store.ts'
import { computeKey } from '../model/service/compute.ts'
import { asOrderedMap } from '../std/ordered-map.ts'

/** The ledger after a commit of `writes`. Retired computes and archived projects leave memory. */
export function ledgerAfter(ledger: Ledger, writes: readonly Write[]): Ledger {
  let { archived, readings, counters } = ledger
  let computes = asOrderedMap(ledger.computes)
  let projects = asOrderedMap(ledger.projects)
  const budgets = new Map<string, BudgetState | undefined>(Object.entries(ledger.budgets))
  for (const write of writes)
    switch (write.kind) {
      case 'compute': {
        const key = computeKey(write.entry.ref)
        computes = write.entry.isRetired ? computes.without(key) : computes.with(key, write.entry)
        break
      }
      case 'project': {
        const { projectId } = write.entry.project
        projects = write.entry.isArchived
          ? projects.without(projectId)
          : projects.with(projectId, write.entry)
        if (write.entry.isArchived) archived = addArchived(archived, write.entry)
        break
      }
      case 'budget':
        budgets.set(write.name, write.state)
        break
      case 'counters':
        counters = write.counters
        break
      case 'reading-counts':
        readings = write.counts
        break
      // history and outbox are not in the ledger
      case 'interval':
      case 'day':
      case 'rollup':
      case 'statistics':
      case 'event':
      case 'report':
      case 'delivery':
      case 'job-state':
        break
    }
  return {
    ...ledger,
    computes,
    projects,
    ...(archived && { archived }),
    readings,
    counters,
    budgets: Object.fromEntries([...budgets].flatMap(([name, state]) => (state ? [[name, state]] : []))),
  }
}
