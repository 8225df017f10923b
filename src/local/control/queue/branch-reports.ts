// What the shell reports of the data of branches.
import { type Draft, branchOf, enqueue, withBranch, withEffects, withProject } from '../draft.ts'
import type { Effect, Report } from '../events.ts'
import type { Plan } from '../project.ts'
import { endOperation } from './queue.ts'

type BranchReport = Extract<Report, { readonly branchId: string }>

/** Which operations each report may belong to. */
const PLANS: Readonly<Record<BranchReport['kind'], readonly Plan['kind'][]>> = {
  'branch-copied': ['copy-branch'],
  'branch-removed': ['remove-branch'],
  'branch-failed': ['copy-branch', 'remove-branch'],
}

/** A report that does not belong to the operation under way changes nothing. */
export function branchReport(draft: Draft, seen: BranchReport): Draft {
  const head = draft.project.queue[0]
  if (!head?.begun || head.operation.branchId !== seen.branchId) return draft
  if (!PLANS[seen.kind].includes(head.plan.kind)) return draft
  switch (seen.kind) {
    case 'branch-copied':
      return endOperation(withBranch(draft, seen.branchId, { state: 'ready' }), 'finished')
    case 'branch-removed':
      return endOperation(draft, 'finished')
    case 'branch-failed':
      return endOperation(withoutBranch(draft, seen.branchId), 'error', seen.message)
  }
}

/** A branch whose data could not be made is as if it had never been; its computes, never started, go with it. */
function withoutBranch(draft: Draft, branchId: string): Draft {
  const { branches, computes } = draft.project
  const gone = computes.filter((compute) => compute.branchId === branchId)
  const told = gone.map(({ id }): Effect => ({
    kind: 'refuse-clients',
    endpointId: id,
    because: `endpoint not found: ${id}`,
  }))
  const without = withProject(draft, {
    branches: branches.filter(({ id }) => id !== branchId),
    computes: computes.filter((compute) => compute.branchId !== branchId),
  })
  return withEffects(without, ...told)
}

/** Makes the data of branches anew whose copy an end of the service interrupted: their creation was acknowledged. */
export const resumeCopies = (draft: Draft): Draft =>
  draft.project.branches
    .filter(({ state }) => state === 'init')
    .reduce((next, { id, parentId }) => {
      const parent = branchOf(next.project, parentId ?? '') ?? next.project.branches[0]
      const subject = { branchId: id, endpointId: undefined }
      return enqueue(next, subject, [['create_branch', { kind: 'copy-branch', parentId: parent?.id ?? id }]])
    }, draft)
