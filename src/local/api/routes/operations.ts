import type { Hono } from 'hono'
import { z } from 'zod'
import type { Operation } from '../../control/project.ts'
import type { Api, Env } from '../context.ts'
import { ApiError } from '../errors.ts'
import { parseQuery } from '../input.ts'
import { projectOr404 } from '../plane-access.ts'
import { operationWire } from '../wire/records.ts'

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const listQuery = z.object({
  cursor: z
    .string()
    .regex(new RegExp(`^[^_]+_${uuid}$`), 'not a cursor of this list')
    .optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
})

/** The creation time in microseconds, as the service writes it, then the id of the last operation of the page. */
const cursorOf = ({ createdAt, id }: Operation): string =>
  `${new Date(createdAt).toISOString().slice(0, -1)}000Z_${id}`

export function operationRoutes(app: Hono<Env>, api: Api): void {
  app.get('/projects/:project_id/operations', (call) => {
    const project = projectOr404(call, api)
    const { cursor, limit } = parseQuery(call, listQuery)
    const page = api.plane.operations(project.id, limit, cursor?.split('_')[1])
    if (!page) throw new ApiError(400, 'cursor: not a cursor of this list')
    const last = page.at(-1)
    return call.json({
      operations: page.map(operationWire),
      ...(last && { pagination: { cursor: cursorOf(last) } }),
    })
  })

  app.get('/projects/:project_id/operations/:operation_id', (call) => {
    const project = projectOr404(call, api)
    const operationId = call.req.param('operation_id')
    const operation = api.plane.operation(project.id, operationId)
    if (!operation) throw new ApiError(404, `operation not found: ${operationId}`)
    return call.json({ operation: operationWire(operation) })
  })
}
