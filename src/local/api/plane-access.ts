// Project and branch that a path names, and requests to the control plane. All throw `ApiError`.
import type { Answer, Request } from '../control/events.ts'
import type { Branch, Project } from '../control/project.ts'
import type { Api, Call } from './context.ts'
import { ApiError, foundOr404, refusalError } from './errors.ts'
import { operationWire } from './wire/records.ts'

export function projectOr404(call: Call, { plane }: Api): Project {
  const projectId = call.req.param('project_id') ?? ''
  return foundOr404(plane.project(projectId), 'project', projectId)
}

export function branchOr404({ branches }: Project, branchId: string | undefined): Branch {
  const branch = branches.find(({ id }) => id === branchId)
  return foundOr404(branch, 'branch', branchId)
}

export function branchAndProjectOr404(call: Call, api: Api) {
  const project = projectOr404(call, api)
  return { project, branch: branchOr404(project, call.req.param('branch_id')) }
}

type Named = { readonly name: string }

export function namedOr404<Item extends Named>(items: readonly Item[], what: string, wanted = ''): Item {
  const item = items.find(({ name }) => name === wanted)
  return foundOr404(item, what, wanted)
}

/** Throws for an organization other than the account's; `field` begins the message. */
export function requireOrganization(organizationId: string | undefined, { account }: Api, field = ''): void {
  if (organizationId !== undefined && organizationId !== account.organizationId)
    throw new ApiError(404, `${field}organization not found: ${organizationId}`)
}

export type Accepted = ReturnType<typeof acceptedAnswer>

/** Answer to an accepted request with its operations on the wire; throws for a refusal. */
export function acceptedAnswer(answer: Answer, api: Api) {
  if (!answer.ok) throw refusalError(answer.refusal, api)
  return { ...answer, operations: answer.operations.map(operationWire) }
}

export const askPlane = (projectId: string, request: Request, api: Api): Accepted =>
  acceptedAnswer(foundOr404(api.plane.request(projectId, request), 'project', projectId), api)
