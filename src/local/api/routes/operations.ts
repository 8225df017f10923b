import type { Hono } from 'hono'
import { z } from 'zod'
import type { Operation } from '../../control/project.ts'
import type { Api, Env } from '../context.ts'
import { errorAnswer } from '../errors.ts'
import { queryOf } from '../input.ts'
import { projectOr404 } from '../found.ts'
import { operationWire } from '../wire/records.ts'

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const listQuery = z.object({
  cursor: z
    .string()
    .regex(new RegExp(`^[^_]+_${uuid}$`), 'not a cursor of this list')
    .optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
})

/** Time with microseconds, as the service shows it, and the id that tells operations of one instant apart. */
const cursorOf = ({ createdAt, id }: Operation): string =>
  `${new Date(createdAt).toISOString().slice(0, -1)}000Z_${id}`

export function operationRoutes(app: Hono<Env>, api: Api): void {
  app.get('/projects/:project_id/operations', (call) => {
    const project = projectOr404(call, api)
    if (project instanceof Response) return project
    const query = queryOf(call, listQuery)
    if (!query.ok) return query.answer
    const before = query.value.cursor?.split('_')[1]
    const page = api.plane.operations(project.id, query.value.limit, before)
    if (!page) return errorAnswer(call, 400, 'cursor: not a cursor of this list')
    const last = page.at(-1)
    return call.json({
      operations: page.map(operationWire),
      ...(last && { pagination: { cursor: cursorOf(last) } }),
    })
  })

  app.get('/projects/:project_id/operations/:operation_id', (call) => {
    const project = projectOr404(call, api)
    if (project instanceof Response) return project
    const operationId = call.req.param('operation_id')
    const operation = api.plane.operation(project.id, operationId)
    if (!operation) return errorAnswer(call, 404, `operation not found: ${operationId}`)
    return call.json({ operation: operationWire(operation) })
  })
}
