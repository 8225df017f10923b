import { z } from 'zod'
import { MONITOR, PASSWORD_LENGTH } from '../../setup/default-catalogue.ts'
import type { Request } from '../../control/events.ts'
import type { AddRoutes, Api, Call } from '../context.ts'
import { ApiError } from '../errors.ts'
import { parseBody } from '../input.ts'
import { askPlane, branchAndProjectOr404, branchOr404, namedOr404 } from '../plane-access.ts'
import { type WireRecord, databaseWire, roleWire } from '../wire/records.ts'

const newRole = z.object({ name: z.string(), no_login: z.literal(false).optional() })
const createRoleBody = z.object({ role: newRole })
const createDatabaseBody = z.object({ database: z.object({ name: z.string(), owner_name: z.string() }) })

const BRANCH = '/projects/:project_id/branches/:branch_id'
const ROLE = `${BRANCH}/roles/:name`
const DATABASE = `${BRANCH}/databases/:name`

export const roleRoutes: AddRoutes = (app, api) => {
  const pathRole = (call: Call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    return { project, branch, role: namedOr404(branch.catalogue.roles, 'role', call.req.param('name')) }
  }

  app.get(`${BRANCH}/roles`, (call) => {
    const { branch } = branchAndProjectOr404(call, api)
    // not the reader for monitoring: clients take the only role of a branch for the user's
    const roles = branch.catalogue.roles.filter(({ name }) => name !== MONITOR)
    return call.json({ roles: roles.map((role) => roleWire(branch, role)) })
  })

  app.post(`${BRANCH}/roles`, async (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const { name } = (await parseBody(call, createRoleBody, api)).role
    return call.json(setPassword(project.id, { kind: 'create-role', branchId: branch.id, name }, api), 201)
  })

  app.get(ROLE, (call) => {
    const { branch, role } = pathRole(call)
    return call.json({ role: roleWire(branch, role) })
  })

  app.get(`${ROLE}/reveal_password`, (call) => {
    const { project, role } = pathRole(call)
    if (!project.storePasswords) throw new ApiError(412, 'this project does not store passwords')
    return call.json({ password: role.password })
  })

  app.post(`${ROLE}/reset_password`, (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const name = call.req.param('name')
    return call.json(setPassword(project.id, { kind: 'reset-password', branchId: branch.id, name }, api))
  })

  app.delete(ROLE, (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const role = branch.catalogue.roles.find(({ name }) => name === call.req.param('name'))
    if (!role) return call.body(null, 204)
    const request = { kind: 'delete-role', branchId: branch.id, name: role.name } as const
    const { operations } = askPlane(project.id, request, api)
    return call.json({ role: roleWire(branch, role), operations })
  })
}

type PasswordRequest = Omit<Request<'create-role' | 'reset-password'>, 'password'>

/** Sets a new password, which only this answer shows. */
function setPassword(projectId: string, request: PasswordRequest, api: Api): WireRecord {
  const password = api.random.text(PASSWORD_LENGTH)
  const { project, operations } = askPlane(projectId, { ...request, password }, api)
  const branch = branchOr404(project, request.branchId)
  const role = namedOr404(branch.catalogue.roles, 'role', request.name)
  return { role: { ...roleWire(branch, role), password }, operations }
}

export const databaseRoutes: AddRoutes = (app, api) => {
  app.get(`${BRANCH}/databases`, (call) => {
    const { branch } = branchAndProjectOr404(call, api)
    const { databases } = branch.catalogue
    return call.json({ databases: databases.map((database) => databaseWire(branch, database)) })
  })

  app.get(DATABASE, (call) => {
    const { branch } = branchAndProjectOr404(call, api)
    const database = namedOr404(branch.catalogue.databases, 'database', call.req.param('name'))
    return call.json({ database: databaseWire(branch, database) })
  })

  app.post(`${BRANCH}/databases`, async (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const { name, owner_name: owner } = (await parseBody(call, createDatabaseBody, api)).database
    const request = { kind: 'create-database', branchId: branch.id, name, owner } as const
    const { project: changed, operations } = askPlane(project.id, request, api)
    const { databases } = branchOr404(changed, branch.id).catalogue
    const database = databaseWire(branch, namedOr404(databases, 'database', name))
    return call.json({ database, operations }, 201)
  })

  app.delete(DATABASE, (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const database = branch.catalogue.databases.find(({ name }) => name === call.req.param('name'))
    if (!database) return call.body(null, 204)
    const request = { kind: 'delete-database', branchId: branch.id, name: database.name } as const
    const { operations } = askPlane(project.id, request, api)
    return call.json({ database: databaseWire(branch, database), operations })
  })
}
