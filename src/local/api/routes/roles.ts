import type { Hono } from 'hono'
import { z } from 'zod'
import { MONITOR, PASSWORD_LENGTH } from '../../setup/default-catalogue.ts'
import type { BranchRequest } from '../../control/events.ts'
import type { Branch, Role } from '../../control/project.ts'
import type { Api, Call, Env } from '../context.ts'
import { ApiError } from '../errors.ts'
import { parseBody } from '../input.ts'
import { askPlane, branchAndProjectOr404 } from '../plane-access.ts'
import { operationWire, roleWire } from '../wire/records.ts'

const createBody = z.object({ role: z.object({ name: z.string(), no_login: z.literal(false).optional() }) })

const COLLECTION = '/projects/:project_id/branches/:branch_id/roles'
const ITEM = `${COLLECTION}/:role_name`

const roleIn = (call: Call, { catalogue }: Branch): Role | undefined =>
  catalogue.roles.find(({ name }) => name === call.req.param('role_name'))

function roleOr404(call: Call, branch: Branch): Role {
  const role = roleIn(call, branch)
  if (!role) throw new ApiError(404, `role not found: ${call.req.param('role_name')}`)
  return role
}

export function roleRoutes(app: Hono<Env>, api: Api): void {
  const newPassword = (): string => api.random.text(PASSWORD_LENGTH)

  app.get(COLLECTION, (call) => {
    const { branch } = branchAndProjectOr404(call, api)
    // the reader for monitoring is not listed: clients take the only role of a branch for the user's
    const roles = branch.catalogue.roles.filter(({ name }) => name !== MONITOR)
    return call.json({ roles: roles.map((role) => roleWire(branch, role)) })
  })

  app.post(COLLECTION, async (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const { name } = (await parseBody(call, createBody, api)).role
    const request = { kind: 'create-role', branchId: branch.id, name, password: newPassword() } as const
    return call.json(sendPasswordRequest(project.id, request, api), 201)
  })

  app.get(ITEM, (call) => {
    const { branch } = branchAndProjectOr404(call, api)
    return call.json({ role: roleWire(branch, roleOr404(call, branch)) })
  })

  app.get(`${ITEM}/reveal_password`, (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const { password } = roleOr404(call, branch)
    if (!project.storePasswords) throw new ApiError(412, 'this project does not store passwords')
    return call.json({ password })
  })

  app.post(`${ITEM}/reset_password`, (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const name = call.req.param('role_name')
    const request = { kind: 'reset-password', branchId: branch.id, name, password: newPassword() } as const
    return call.json(sendPasswordRequest(project.id, request, api))
  })

  app.delete(ITEM, (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const role = roleIn(call, branch)
    if (!role) return call.body(null, 204)
    const request = { kind: 'delete-role', branchId: branch.id, name: role.name } as const
    const { operations } = askPlane(project.id, request, api)
    return call.json({ role: roleWire(branch, role), operations: operations.map(operationWire) })
  })
}

type PasswordRequest = BranchRequest & { readonly name: string; readonly password: string }

/** Sends a request that sets a password. Its answer is the only one that shows the password. */
function sendPasswordRequest(projectId: string, request: PasswordRequest, api: Api): Record<string, unknown> {
  const { project, operations } = askPlane(projectId, request, api)
  const branch = project.branches.find(({ id }) => id === request.branchId)
  const role = branch?.catalogue.roles.find(({ name }) => name === request.name)
  return {
    role: branch && role && { ...roleWire(branch, role), password: request.password },
    operations: operations.map(operationWire),
  }
}
