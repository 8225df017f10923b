import type { Hono } from 'hono'
import { z } from 'zod'
import type { Branch, Database } from '../../control/project.ts'
import type { Api, Call, Env } from '../context.ts'
import { ApiError } from '../errors.ts'
import { parseBody } from '../input.ts'
import { askPlane, branchAndProjectOr404 } from '../plane-access.ts'
import { databaseWire, operationWire } from '../wire/records.ts'

const createBody = z.object({ database: z.object({ name: z.string(), owner_name: z.string() }) })

const COLLECTION = '/projects/:project_id/branches/:branch_id/databases'
const ITEM = `${COLLECTION}/:database_name`

const databaseIn = (call: Call, { catalogue }: Branch): Database | undefined =>
  catalogue.databases.find(({ name }) => name === call.req.param('database_name'))

export function databaseRoutes(app: Hono<Env>, api: Api): void {
  app.get(COLLECTION, (call) => {
    const { branch } = branchAndProjectOr404(call, api)
    return call.json({
      databases: branch.catalogue.databases.map((database) => databaseWire(branch, database)),
    })
  })

  app.get(ITEM, (call) => {
    const { branch } = branchAndProjectOr404(call, api)
    const database = databaseIn(call, branch)
    if (!database) throw new ApiError(404, `database not found: ${call.req.param('database_name')}`)
    return call.json({ database: databaseWire(branch, database) })
  })

  app.post(COLLECTION, async (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const { name, owner_name: owner } = (await parseBody(call, createBody, api)).database
    const request = { kind: 'create-database', branchId: branch.id, name, owner } as const
    const answer = askPlane(project.id, request, api)
    const database = answer.project.branches
      .find(({ id }) => id === branch.id)
      ?.catalogue.databases.find((candidate) => candidate.name === name)
    return call.json(
      {
        database: database && databaseWire(branch, database),
        operations: answer.operations.map(operationWire),
      },
      201,
    )
  })

  app.delete(ITEM, (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const database = databaseIn(call, branch)
    if (!database) return call.body(null, 204)
    const request = { kind: 'delete-database', branchId: branch.id, name: database.name } as const
    const { operations } = askPlane(project.id, request, api)
    return call.json({
      database: databaseWire(branch, database),
      operations: operations.map(operationWire),
    })
  })
}
