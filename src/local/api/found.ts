// What a path names, or the answer that there is none.
import type { Branch, Project } from '../control/project.ts'
import type { Api, Call } from './context.ts'
import { errorAnswer } from './errors.ts'

export function projectOr404(call: Call, { plane }: Pick<Api, 'plane'>): Project | Response {
  const projectId = call.req.param('project_id') ?? ''
  return plane.project(projectId) ?? errorAnswer(call, 404, `project not found: ${projectId}`)
}

export const branchOr404 = (call: Call, project: Project, branchId: string): Branch | Response =>
  project.branches.find(({ id }) => id === branchId) ??
  errorAnswer(call, 404, `branch not found: ${branchId}`)

/** Project and branch of a path with both. */
export function branchAndProjectOr404(
  call: Call,
  api: Pick<Api, 'plane'>,
): { readonly project: Project; readonly branch: Branch } | Response {
  const project = projectOr404(call, api)
  if (project instanceof Response) return project
  const branch = branchOr404(call, project, call.req.param('branch_id') ?? '')
  return branch instanceof Response ? branch : { project, branch }
}
