// Access of routes to the control plane: the project and branch that a path names, and requests. All throw `ApiError`.
import type { Answer, Request } from '../control/events.ts'
import type { Branch, Project } from '../control/project.ts'
import type { Api, Call } from './context.ts'
import { ApiError, refusalError } from './errors.ts'

export function projectOr404(call: Call, { plane }: Pick<Api, 'plane'>): Project {
  const projectId = call.req.param('project_id') ?? ''
  const project = plane.project(projectId)
  if (!project) throw new ApiError(404, `project not found: ${projectId}`)
  return project
}

export function branchOr404({ branches }: Project, branchId: string): Branch {
  const branch = branches.find(({ id }) => id === branchId)
  if (!branch) throw new ApiError(404, `branch not found: ${branchId}`)
  return branch
}

export function branchAndProjectOr404(
  call: Call,
  api: Pick<Api, 'plane'>,
): { readonly project: Project; readonly branch: Branch } {
  const project = projectOr404(call, api)
  return { project, branch: branchOr404(project, call.req.param('branch_id') ?? '') }
}

export type AcceptedAnswer = Answer & { readonly ok: true }

/** Sends a request to the control plane. */
export function askPlane(
  projectId: string,
  request: Request,
  api: Pick<Api, 'plane' | 'settings'>,
): AcceptedAnswer {
  const answer = api.plane.request(projectId, request)
  if (!answer) throw new ApiError(404, `project not found: ${projectId}`)
  if (!answer.ok) throw refusalError(answer.refusal, api)
  return answer
}
