// Budgets settled in the commit that stores the settled slices: one without the other would count them twice or never.
import type { AppliedChunk } from '../../ledger/apply-sweep.ts'
import { budgetWrites, settleBudgets, toBudgetComputes } from '../../ledger/budgets/account-budgets.ts'
import type { BudgetComputesByKey, LateDiscovery } from '../../ledger/budgets/settle.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Sweep } from '../../model/observation.ts'
import { entriesOf, type Write } from '../../model/ports/store.ts'
import { computeKey } from '../../model/service/compute.ts'
import type { BudgetContext } from './budget-states.ts'

/** A sweep, with the ledger before it. */
export type SweptLedger = {
  readonly before: Ledger
  readonly sweep: Sweep
  /** Entry of a project of the sweep. A new project is stored after its computes, but a selector may need its name before. */
  readonly listed: (projectId: string) => ProjectEntry | undefined
}

export function sweptLedger(before: Ledger, sweep: Sweep): SweptLedger {
  const projects = new Map(sweep.projects.map((project) => [project.projectId, project]))
  return {
    before,
    sweep,
    listed: (projectId) => {
      const project = projects.get(projectId)
      return project && { project, listed: undefined }
    },
  }
}

/** Writes of the budget states that result from what `chunk` settles. */
export function settleBudgetsOfChunk(
  { writes, slices }: Pick<AppliedChunk, 'writes' | 'slices'>,
  { ledger, before, sweep, listed }: SweptLedger & { readonly ledger: Ledger },
  { scopes, prices, now }: BudgetContext,
): readonly Write[] {
  const entries = entriesOf(writes)
  if (scopes.budgets.length === 0 || entries.length === 0) return []
  const projects = new Map(
    writes.flatMap((write) =>
      write.kind === 'project' ? [[write.entry.project.projectId, write.entry] as const] : [],
    ),
  )
  const computes = toBudgetComputes(entries, {
    projectOf: (projectId) => projects.get(projectId) ?? ledger.projects.get(projectId) ?? listed(projectId),
    prices,
    now,
  })
  const states = settleBudgets(scopes.budgets, ledger.budgets, {
    settled: slices,
    computes,
    lateDiscoveries: lateDiscoveriesOf(entries, computes, { before, sweep }),
    now,
  })
  return budgetWrites(ledger.budgets, states)
}

/** Computes seen for the first time that existed before and whose operations were not read. */
function lateDiscoveriesOf(
  entries: readonly ComputeEntry[],
  computes: BudgetComputesByKey,
  { before, sweep }: { readonly before: Ledger; readonly sweep: Sweep },
): readonly LateDiscovery[] {
  const read = new Set(sweep.operations.length > 0 ? sweep.operationsReadOf : [])
  return entries.flatMap(({ ref, observedAt, compute: { createdAt } }) => {
    const compute = computes.get(computeKey(ref))
    const listedAt = before.projects.get(ref.projectId)?.listed?.at
    const isYoung = listedAt !== undefined && listedAt <= createdAt
    if (!compute || before.computes.has(computeKey(ref)) || read.has(ref.projectId) || isYoung) return []
    return [{ compute, knownFrom: observedAt }]
  })
}
