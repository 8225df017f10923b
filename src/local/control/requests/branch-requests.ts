// Requests for branches: each is a copy of its parent's data, with computes of its own.
import { type Answered, answerDone, notFound, refuseRequest, schedule } from './answers.ts'
import { completeConfig } from '../config.ts'
import { type Draft, branchOf, enqueue, withBranch, withProject } from '../draft.ts'
import type { BranchRequest, Refusal } from '../events.ts'
import type { Branch } from '../project.ts'
import { addCompute, dropCompute } from './compute-requests.ts'
import { configRefusal, conflictOf, quotaRefusal, typeRefusal } from './validation.ts'

type Create = Extract<BranchRequest, { kind: 'create-branch' }>
type Update = Extract<BranchRequest, { kind: 'update-branch' }>
type Delete = Extract<BranchRequest, { kind: 'delete-branch' }>

export function applyBranchRequest(draft: Draft, request: Create | Update | Delete): Answered {
  switch (request.kind) {
    case 'create-branch':
      return createBranch(draft, request)
    case 'update-branch':
      return updateBranch(draft, request)
    case 'delete-branch':
      return deleteBranch(draft, request.branchId)
  }
}

function createBranch(draft: Draft, request: Create): Answered {
  const { project, context } = draft
  const parent = request.parentId === undefined ? project.branches[0] : branchOf(project, request.parentId)
  if (!parent) return notFound(draft, `branch.parent_id: branch ${request.parentId}`)
  const refusal = createRefusal(draft, request, parent)
  if (refusal) return refuseRequest(draft, refusal)
  const branch: Branch = {
    id: request.branchId,
    name: request.name,
    parentId: parent.id,
    state: 'init',
    protected: request.protected,
    createdAt: context.now,
    updatedAt: context.now,
    catalogue: parent.catalogue,
  }
  const withNewBranch = enqueue(
    withProject(draft, { branches: [...project.branches, branch] }),
    { branchId: branch.id, endpointId: undefined },
    [['create_branch', { kind: 'copy-branch', parentId: parent.id }]],
  )
  const created = request.computes.reduce((next, compute) => {
    const { draft: added, steps } = addCompute(next, branch.id, compute)
    return enqueue(added, { branchId: branch.id, endpointId: compute.endpointId }, steps)
  }, withNewBranch)
  const operations = created.project.queue.map(({ operation }) => operation)
  return { draft: created, answer: { ok: true, project: created.project, compute: undefined, operations } }
}

function createRefusal({ project, context }: Draft, request: Create, parent: Branch): Refusal | undefined {
  const { settings, now } = context
  const configs = request.computes.map(({ config }) => completeConfig(config, project, settings))
  const computeRefusal = configs
    .map(
      (config, index) =>
        configRefusal(config, settings, `endpoints.${index}`) ??
        typeRefusal(request.computes[index]?.type, settings, `endpoints.${index}`),
    )
    .find((refusal) => refusal !== undefined)
  return (
    computeRefusal ??
    nameRefusal(project.branches, request.name) ??
    (parent.state === 'ready'
      ? undefined
      : { status: 422, message: `branch.parent_id: branch ${parent.id} is not ready` }) ??
    (request.computes.filter(({ type }) => type !== 'read_only').length > 1
      ? {
          status: settings.errors.duplicatePrimary,
          message: 'endpoints: a branch has one read-write endpoint',
        }
      : undefined) ??
    conflictOf(project, undefined) ??
    (configs.length > 0 ? quotaRefusal(project, now, settings) : undefined)
  )
}

const nameRefusal = (branches: readonly Branch[], name: string): Refusal | undefined =>
  branches.some((branch) => branch.name === name)
    ? { status: 409, message: `branch.name: a branch named ${JSON.stringify(name)} exists` }
    : undefined

function updateBranch(draft: Draft, request: Update): Answered {
  const { project } = draft
  const branch = branchOf(project, request.branchId)
  if (!branch) return notFound(draft, `branch ${request.branchId}`)
  const { name = branch.name, protected: isProtected = branch.protected } = request
  const others = project.branches.filter(({ id }) => id !== branch.id)
  const refusal = nameRefusal(others, name) ?? conflictOf(project, undefined)
  if (refusal) return refuseRequest(draft, refusal)
  return answerDone(withBranch(draft, branch.id, { name, protected: isProtected }))
}

/** Deletes a branch and its computes at once; an operation removes its data. */
function deleteBranch(draft: Draft, branchId: string): Answered {
  const { project } = draft
  const branch = branchOf(project, branchId)
  if (!branch) return notFound(draft, `branch ${branchId}`)
  const refusal = deleteRefusal(project.branches, branch) ?? conflictOf(project, undefined)
  if (refusal) return refuseRequest(draft, refusal)
  const withoutComputes = project.computes
    .filter((compute) => compute.branchId === branchId)
    .reduce((next, compute) => dropCompute(next, compute).draft, draft)
  const branches = project.branches.filter(({ id }) => id !== branchId)
  return schedule(withProject(withoutComputes, { branches }), { branchId, endpointId: undefined }, [
    ['delete_timeline', { kind: 'remove-branch' }],
  ])
}

function deleteRefusal(
  branches: readonly Branch[],
  { id, protected: isProtected }: Branch,
): Refusal | undefined {
  if (branches[0]?.id === id) return { status: 422, message: 'the default branch cannot be deleted' }
  if (isProtected) return { status: 422, message: `branch ${id} is protected` }
  const child = branches.find(({ parentId }) => parentId === id)
  return child && { status: 422, message: `branch ${id} has a child branch: ${child.id}` }
}
