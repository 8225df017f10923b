import { z } from 'zod'
import type { Operation } from '../../control/project.ts'
import type { AddRoutes } from '../context.ts'
import { ApiError, foundOr404 } from '../errors.ts'
import { limitQuery, parseQuery } from '../input.ts'
import { projectOr404 } from '../plane-access.ts'
import { operationWire } from '../wire/records.ts'

/** Anything, then the id of an operation. */
const CURSOR = /^[^_]+_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const listQuery = z.object({
  cursor: z.string().regex(CURSOR, 'not a cursor of this list').optional(),
  limit: limitQuery(1000, 100),
})

/** Creation time in microseconds, as in the service, then the id of the page's last operation. */
const cursorOf = ({ createdAt, id }: Operation) =>
  `${new Date(createdAt).toISOString().slice(0, -1)}000Z_${id}`

export const operationRoutes: AddRoutes = (app, api) => {
  app.get('/projects/:project_id/operations', (call) => {
    const project = projectOr404(call, api)
    const { cursor, limit } = parseQuery(call, listQuery)
    const page = api.plane.operations(project.id, limit, cursor?.split('_')[1])
    if (!page) throw new ApiError(400, 'cursor: not a cursor of this list')
    const last = page.at(-1)
    const pagination = last && { cursor: cursorOf(last) }
    return call.json({ operations: page.map(operationWire), pagination })
  })

  app.get('/projects/:project_id/operations/:operation_id', (call) => {
    const project = projectOr404(call, api)
    const operationId = call.req.param('operation_id')
    const operation = foundOr404(api.plane.operation(project.id, operationId), 'operation', operationId)
    return call.json({ operation: operationWire(operation) })
  })
}
