// Requests for branches: copies of their parent's data, with computes of their own.
import { type Outcome, type RequestHandlers, accept, schedule } from './answers.ts'
import { completeConfig } from '../config.ts'
import { type Draft, branchOf, enqueue, withBranch, withProject } from '../draft.ts'
import type { Refusal, Request } from '../events.ts'
import { type Branch, computesOn, datedAt } from '../project.ts'
import { addCompute, dropCompute } from './compute-requests.ts'
import { configRefusal, conflictOf, notFound, quotaRefusal, refuse, typeRefusal } from './validation.ts'

export const BRANCH_REQUESTS = {
  'create-branch': createBranch,
  'update-branch': updateBranch,
  'delete-branch': deleteBranch,
} satisfies Partial<RequestHandlers>

function createBranch(draft: Draft, request: Request<'create-branch'>): Outcome {
  const { branches } = draft.project
  const parent = request.parentId === undefined ? branches[0] : branchOf(draft.project, request.parentId)
  if (!parent) return notFound(`branch.parent_id: branch ${request.parentId}`)
  const refusal = createRefusal(draft, request, parent)
  if (refusal) return refusal
  const branch: Branch = {
    id: request.branchId,
    name: request.name,
    parentId: parent.id,
    state: 'init',
    protected: request.protected,
    ...datedAt(draft.context.now),
    catalogue: parent.catalogue,
  }
  const copying = enqueue(
    withProject(draft, { branches: [...branches, branch] }),
    { branchId: branch.id, endpointId: undefined },
    [['create_branch', { kind: 'copy-branch', parentId: parent.id }]],
  )
  return accept(request.computes.reduce((next, compute) => addCompute(next, branch.id, compute), copying))
}

function createRefusal(draft: Draft, request: Request<'create-branch'>, parent: Branch): Refusal | undefined {
  const { project, context } = draft
  const { settings } = context
  const [computeRefusal] = request.computes.flatMap(({ config, type }, index) => {
    const field = `endpoints.${index}`
    const complete = completeConfig(config, project, settings)
    return configRefusal(complete, settings, { field }) ?? typeRefusal(type, settings, field) ?? []
  })
  const refusal = computeRefusal ?? nameRefusal(project.branches, request.name)
  if (refusal) return refusal
  if (parent.state === 'init') return refuse(422, `branch.parent_id: branch ${parent.id} is not ready`)
  if (request.computes.filter(({ type }) => type !== 'read_only').length > 1)
    return refuse(settings.errors.duplicatePrimary, 'endpoints: a branch has one read-write endpoint')
  return conflictOf(draft) ?? (request.computes.length > 0 ? quotaRefusal(draft) : undefined)
}

const nameRefusal = (branches: readonly Branch[], name: string): Refusal | undefined =>
  branches.some((branch) => branch.name === name)
    ? refuse(409, `branch.name: a branch named ${JSON.stringify(name)} exists`)
    : undefined

function updateBranch(draft: Draft, request: Request<'update-branch'>): Outcome {
  const branch = branchOf(draft.project, request.branchId)
  if (!branch) return notFound(`branch ${request.branchId}`)
  const { name = branch.name, protected: isProtected = branch.protected } = request
  const others = draft.project.branches.filter(({ id }) => id !== branch.id)
  return (
    nameRefusal(others, name) ??
    conflictOf(draft) ??
    accept(withBranch(draft, branch.id, { name, protected: isProtected }))
  )
}

/** Removes the branch and its computes at once; an operation removes the data. */
function deleteBranch(draft: Draft, { branchId }: Request<'delete-branch'>): Outcome {
  const { branches } = draft.project
  const branch = branchOf(draft.project, branchId)
  if (!branch) return notFound(`branch ${branchId}`)
  const refusal = deleteRefusal(branches, branch) ?? conflictOf(draft)
  if (refusal) return refusal
  const computes = computesOn(draft.project, branchId)
  const withoutComputes = computes.reduce((next, compute) => dropCompute(next, compute).draft, draft)
  const without = withProject(withoutComputes, { branches: branches.filter(({ id }) => id !== branchId) })
  const steps = [['delete_timeline', { kind: 'remove-branch' }]] as const
  return schedule(without, { branchId, endpointId: undefined }, steps)
}

function deleteRefusal(branches: readonly Branch[], branch: Branch): Refusal | undefined {
  const { id } = branch
  if (branches[0]?.id === id) return refuse(422, 'the default branch cannot be deleted')
  if (branch.protected) return refuse(422, `branch ${id} is protected`)
  const child = branches.find(({ parentId }) => parentId === id)
  return child && refuse(422, `branch ${id} has a child branch: ${child.id}`)
}
