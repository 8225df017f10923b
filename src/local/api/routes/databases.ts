import type { Hono } from 'hono'
import { z } from 'zod'
import type { Branch, Database } from '../../control/project.ts'
import { askPlane } from '../ask-plane.ts'
import { databaseWire } from '../wire/catalogue-wire.ts'
import type { Api, Call, Env } from '../context.ts'
import { errorAnswer } from '../errors.ts'
import { branchAndProjectOr404 } from '../found.ts'
import { bodyOf } from '../input.ts'
import { operationWire } from '../wire/records.ts'

const createBody = z.object({ database: z.object({ name: z.string(), owner_name: z.string() }) })

const BASE = '/projects/:project_id/branches/:branch_id/databases'
const ONE = `${BASE}/:database_name`

const databaseIn = (call: Call, { catalogue }: Branch): Database | undefined =>
  catalogue.databases.find(({ name }) => name === call.req.param('database_name'))

export function databaseRoutes(app: Hono<Env>, api: Api): void {
  app.get(BASE, (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const { branch } = place
    return call.json({
      databases: branch.catalogue.databases.map((database) => databaseWire(branch, database)),
    })
  })

  app.get(ONE, (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const database = databaseIn(call, place.branch)
    return database
      ? call.json({ database: databaseWire(place.branch, database) })
      : errorAnswer(call, 404, `database not found: ${call.req.param('database_name')}`)
  })

  app.post(BASE, async (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const body = await bodyOf(call, createBody, api)
    if (!body.ok) return body.answer
    const { name, owner_name: owner } = body.value.database
    const request = { kind: 'create-database', branchId: place.branch.id, name, owner } as const
    const answer = askPlane(call, { projectId: place.project.id, request }, api)
    if (answer instanceof Response) return answer
    const branch = answer.project.branches.find(({ id }) => id === place.branch.id)
    const made = branch?.catalogue.databases.find((database) => database.name === name)
    const database = branch && made && databaseWire(branch, made)
    return call.json({ database, operations: answer.operations.map(operationWire) }, 201)
  })

  app.delete(ONE, (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const { project, branch } = place
    const database = databaseIn(call, branch)
    if (!database) return call.body(null, 204)
    const request = { kind: 'delete-database', branchId: branch.id, name: database.name } as const
    const answer = askPlane(call, { projectId: project.id, request }, api)
    if (answer instanceof Response) return answer
    return call.json({
      database: databaseWire(branch, database),
      operations: answer.operations.map(operationWire),
    })
  })
}
