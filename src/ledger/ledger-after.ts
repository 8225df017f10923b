import type { Ledger } from '../model/ledger/ledger.ts'
import type { BudgetState } from '../model/policy/budget.ts'
import type { Write } from '../model/ports/store.ts'
import { computeKey } from '../model/service/compute.ts'
import { asOrderedMap } from '../std/ordered-map.ts'

/** The ledger after a commit of `writes`. */
export function ledgerAfter(ledger: Ledger, writes: readonly Write[]): Ledger {
  let { readings, counters } = ledger
  let computes = asOrderedMap(ledger.computes)
  let deleted = asOrderedMap(ledger.deleted)
  let projects = asOrderedMap(ledger.projects)
  const budgets = new Map<string, BudgetState | undefined>(Object.entries(ledger.budgets))
  for (const write of writes)
    switch (write.kind) {
      case 'compute':
        computes = computes.with(computeKey(write.entry.ref), write.entry)
        break
      case 'deleted-compute': {
        const key = computeKey(write.compute.ref)
        computes = computes.without(key)
        deleted = deleted.with(key, write.compute)
        break
      }
      case 'project':
        projects = projects.with(write.entry.project.projectId, write.entry)
        break
      case 'budget':
        budgets.set(write.name, write.state)
        break
      case 'counters':
        counters = write.counters
        break
      case 'reading-counts':
        readings = write.counts
        break
      // history, outbox and journal are not in the ledger
      case 'interval':
      case 'day':
      case 'rollup':
      case 'statistics':
      case 'gap':
      case 'setting':
      case 'recommendation':
      case 'advice':
      case 'event':
      case 'report':
      case 'delivery':
      case 'change':
      case 'change-event':
      case 'change-tally':
      case 'saved-part':
      case 'placed-hold':
      case 'forced-change':
      case 'brake':
      case 'job-state':
        break
    }
  return {
    ...ledger,
    computes,
    deleted,
    projects,
    readings,
    counters,
    budgets: Object.fromEntries([...budgets].flatMap(([name, state]) => (state ? [[name, state]] : []))),
  }
}
