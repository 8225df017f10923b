import type { Hono } from 'hono'
import { z } from 'zod'
import { MONITOR, PASSWORD_LENGTH } from '../../setup/default-catalogue.ts'
import type { BranchRequest } from '../../control/events.ts'
import type { Branch, Role } from '../../control/project.ts'
import { askPlane } from '../ask-plane.ts'
import { roleWire } from '../wire/catalogue-wire.ts'
import type { Api, Call, Env } from '../context.ts'
import { errorAnswer } from '../errors.ts'
import { branchAndProjectOr404 } from '../found.ts'
import { bodyOf } from '../input.ts'
import { operationWire } from '../wire/records.ts'

const createBody = z.object({ role: z.object({ name: z.string(), no_login: z.literal(false).optional() }) })

const BASE = '/projects/:project_id/branches/:branch_id/roles'
const ONE = `${BASE}/:role_name`

const roleIn = (call: Call, { catalogue }: Branch): Role | Response => {
  const name = call.req.param('role_name') ?? ''
  return (
    catalogue.roles.find((role) => role.name === name) ?? errorAnswer(call, 404, `role not found: ${name}`)
  )
}

export function roleRoutes(app: Hono<Env>, api: Api): void {
  const password = (): string => api.random.text(PASSWORD_LENGTH)

  app.get(BASE, (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const { branch } = place
    // the reader for monitoring is part of the machine, not one of the user's roles: clients take the only role for theirs
    const roles = branch.catalogue.roles.filter(({ name }) => name !== MONITOR)
    return call.json({ roles: roles.map((role) => roleWire(branch, role)) })
  })

  app.post(BASE, async (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const body = await bodyOf(call, createBody, api)
    if (!body.ok) return body.answer
    const { name } = body.value.role
    const request = { kind: 'create-role', branchId: place.branch.id, name, password: password() } as const
    return answerOf(call, { projectId: place.project.id, request, status: 201 }, api)
  })

  app.get(ONE, (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const role = roleIn(call, place.branch)
    return role instanceof Response ? role : call.json({ role: roleWire(place.branch, role) })
  })

  app.get(`${ONE}/reveal_password`, (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const role = roleIn(call, place.branch)
    if (role instanceof Response) return role
    return place.project.storePasswords
      ? call.json({ password: role.password })
      : errorAnswer(call, 412, 'this project does not store passwords')
  })

  app.post(`${ONE}/reset_password`, (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const name = call.req.param('role_name')
    const request = { kind: 'reset-password', branchId: place.branch.id, name, password: password() } as const
    return answerOf(call, { projectId: place.project.id, request, status: 200 }, api)
  })

  app.delete(ONE, (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const { project, branch } = place
    const role = roleIn(call, branch)
    if (role instanceof Response) return call.body(null, 204)
    const request = { kind: 'delete-role', branchId: branch.id, name: role.name } as const
    const answer = askPlane(call, { projectId: project.id, request }, api)
    if (answer instanceof Response) return answer
    return call.json({ role: roleWire(branch, role), operations: answer.operations.map(operationWire) })
  })
}

type Asked = {
  readonly projectId: string
  readonly request: BranchRequest & { readonly name: string; readonly password: string }
  readonly status: 200 | 201
}

/** With the new password: this is where it is shown. */
function answerOf(call: Call, { projectId, request, status }: Asked, api: Api): Response {
  const answer = askPlane(call, { projectId, request }, api)
  if (answer instanceof Response) return answer
  const branch = answer.project.branches.find(({ id }) => id === request.branchId)
  const role = branch?.catalogue.roles.find(({ name }) => name === request.name)
  return call.json(
    {
      role: branch && role && { ...roleWire(branch, role), password: request.password },
      operations: answer.operations.map(operationWire),
    },
    status,
  )
}
