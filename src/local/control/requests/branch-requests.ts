// Branches: a copy of another one's data, with computes of its own.
import { type Answered, answerDone, notFound, refuseRequest, schedule } from './answers.ts'
import { completeConfig } from '../config.ts'
import { type Draft, type PlannedActions, branchOf, enqueue, withBranch, withProject } from '../draft.ts'
import type { BranchRequest, NewCompute, Refusal } from '../events.ts'
import type { Branch, Compute } from '../project.ts'
import { typeRefusal } from './replicas.ts'
import { conflictOf, quotaRefusal, configRefusal } from './validation.ts'

type Create = Extract<BranchRequest, { kind: 'create-branch' }>
type Update = Extract<BranchRequest, { kind: 'update-branch' }>
type Delete = Extract<BranchRequest, { kind: 'delete-branch' }>

/** How computes come and go, from the file that knows. */
export type ComputeWork = {
  readonly addCompute: (
    draft: Draft,
    branchId: string,
    asked: NewCompute,
  ) => { readonly draft: Draft; readonly steps: PlannedActions }
  readonly dropCompute: (draft: Draft, compute: Compute) => { readonly draft: Draft }
}

export function branchRequest(draft: Draft, asked: Create | Update | Delete, work: ComputeWork): Answered {
  switch (asked.kind) {
    case 'create-branch':
      return create(draft, asked, work)
    case 'update-branch':
      return update(draft, asked)
    case 'delete-branch':
      return remove(draft, asked.branchId, work)
  }
}

function create(draft: Draft, asked: Create, work: ComputeWork): Answered {
  const { project, context } = draft
  const parent = asked.parentId === undefined ? project.branches[0] : branchOf(project, asked.parentId)
  if (!parent) return notFound(draft, `branch.parent_id: branch ${asked.parentId}`)
  const refusal = createRefusal(draft, asked, parent)
  if (refusal) return refuseRequest(draft, refusal)
  const branch: Branch = {
    id: asked.branchId,
    name: asked.name,
    parentId: parent.id,
    state: 'init',
    protected: asked.protected,
    createdAt: context.now,
    updatedAt: context.now,
    catalogue: parent.catalogue,
  }
  const copy: PlannedActions = [['create_branch', { kind: 'copy-branch', parentId: parent.id }]]
  const branched = enqueue(
    withProject(draft, { branches: [...project.branches, branch] }),
    { branchId: branch.id, endpointId: undefined },
    copy,
  )
  const grown = asked.computes.reduce((next, compute) => {
    const { draft: added, steps } = work.addCompute(next, branch.id, compute)
    return enqueue(added, { branchId: branch.id, endpointId: compute.endpointId }, steps)
  }, branched)
  const operations = grown.project.queue.map(({ operation }) => operation)
  return { draft: grown, answer: { ok: true, project: grown.project, compute: undefined, operations } }
}

function createRefusal({ project, context }: Draft, asked: Create, parent: Branch): Refusal | undefined {
  const { settings, now } = context
  const configs = asked.computes.map(({ config }) => completeConfig(config, project, settings))
  const refused = configs
    .map(
      (config, at) =>
        configRefusal(config, settings, `endpoints.${at}`) ??
        typeRefusal(asked.computes[at]?.type, settings, `endpoints.${at}`),
    )
    .find((refusal) => refusal !== undefined)
  return (
    refused ??
    nameRefusal(project.branches, asked.name) ??
    (parent.state === 'ready'
      ? undefined
      : { status: 422, message: `branch.parent_id: branch ${parent.id} is not ready` }) ??
    (asked.computes.filter(({ type }) => type !== 'read_only').length > 1
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

function update(draft: Draft, asked: Update): Answered {
  const { branches } = draft.project
  const branch = branchOf(draft.project, asked.branchId)
  if (!branch) return notFound(draft, `branch ${asked.branchId}`)
  const name = asked.name ?? branch.name
  const refusal =
    nameRefusal(
      branches.filter(({ id }) => id !== branch.id),
      name,
    ) ?? conflictOf(draft.project, undefined)
  if (refusal) return refuseRequest(draft, refusal)
  return answerDone(withBranch(draft, branch.id, { name, protected: asked.protected ?? branch.protected }))
}

/** The computes of the branch go with it; its data is removed by the operation. */
function remove(draft: Draft, branchId: string, { dropCompute }: ComputeWork): Answered {
  const { project } = draft
  const branch = branchOf(project, branchId)
  if (!branch) return notFound(draft, `branch ${branchId}`)
  const refusal = removeRefusal(project.branches, branch) ?? conflictOf(project, undefined)
  if (refusal) return refuseRequest(draft, refusal)
  const emptied = project.computes
    .filter((compute) => compute.branchId === branchId)
    .reduce((next, compute) => dropCompute(next, compute).draft, draft)
  const without = withProject(emptied, { branches: project.branches.filter(({ id }) => id !== branchId) })
  return schedule(without, { branchId, endpointId: undefined }, [
    ['delete_timeline', { kind: 'remove-branch' }],
  ])
}

function removeRefusal(branches: readonly Branch[], { id, protected: kept }: Branch): Refusal | undefined {
  if (branches[0]?.id === id) return { status: 422, message: 'the default branch cannot be deleted' }
  if (kept) return { status: 422, message: `branch ${id} is protected` }
  const child = branches.find(({ parentId }) => parentId === id)
  return child && { status: 422, message: `branch ${id} has a child branch: ${child.id}` }
}
