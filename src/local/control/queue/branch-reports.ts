import {
  type Draft,
  branchOf,
  enqueue,
  refuseUnknown,
  withBranch,
  withEffects,
  withProject,
} from '../draft.ts'
import type { Report } from '../events.ts'
import { endOperation } from './queue.ts'

type BranchReport = Extract<Report, { readonly branchId: string }>

/** Ignores reports that do not belong to the operation in progress. */
export function applyBranchReport(draft: Draft, report: BranchReport): Draft {
  const head = draft.project.queue[0]
  const { branchId } = report
  if (!head?.isStarted || head.operation.branchId !== branchId) return draft
  const isCopy = head.plan.kind === 'copy-branch'
  if (!isCopy && head.plan.kind !== 'remove-branch') return draft
  switch (report.kind) {
    case 'branch-copied':
      return isCopy ? endOperation(withBranch(draft, branchId, { state: 'ready' }), 'finished') : draft
    case 'branch-removed':
      return isCopy ? draft : endOperation(draft, 'finished')
    case 'branch-failed':
      return endOperation(withoutBranch(draft, branchId), 'error', report.message)
  }
}

/** Removes a branch that could not be copied, with its computes, which never started. */
function withoutBranch(draft: Draft, branchId: string): Draft {
  const { branches, computes } = draft.project
  const removed = computes.filter((compute) => compute.branchId === branchId)
  const without = withProject(draft, {
    branches: branches.filter(({ id }) => id !== branchId),
    computes: computes.filter((compute) => compute.branchId !== branchId),
  })
  return withEffects(without, ...removed.map(({ id }) => refuseUnknown(id)))
}

/** Queues interrupted copies again: the creation of these branches was acknowledged. */
export const resumeCopies = (draft: Draft): Draft =>
  draft.project.branches
    .filter(({ state }) => state === 'init')
    .reduce((next, { id, parentId }) => {
      const parent = branchOf(next.project, parentId ?? '') ?? next.project.branches[0]
      const subject = { branchId: id, endpointId: undefined }
      return enqueue(next, subject, [['create_branch', { kind: 'copy-branch', parentId: parent?.id ?? id }]])
    }, draft)
