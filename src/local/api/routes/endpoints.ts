import type { Hono } from 'hono'
import { ID_LENGTH } from '../../setup/default-catalogue.ts'
import { computeOf } from '../../control/draft.ts'
import type { ComputeRequest } from '../../control/events.ts'
import type { Compute, Project } from '../../control/project.ts'
import type { Api, Env } from '../context.ts'
import { configOf, createEndpointBody, updateEndpointBody } from '../wire/endpoint-body.ts'
import { ApiError } from '../errors.ts'
import { parseBody, requirePgSettings } from '../input.ts'
import { askPlane, branchAndProjectOr404, projectOr404 } from '../plane-access.ts'
import { REGION, endpointWire, operationWire, wireViewOf } from '../wire/records.ts'

const COLLECTION = '/projects/:project_id/endpoints'
const ITEM = `${COLLECTION}/:endpoint_id`

const PG_SETTINGS = 'endpoint.settings.pg_settings'

export function endpointRoutes(app: Hono<Env>, api: Api): void {
  app.get(COLLECTION, (call) => {
    const project = projectOr404(call, api)
    const answer = call.json(endpointsWire(project, api))
    wakeOnRead(project, api)
    return answer
  })

  app.get('/projects/:project_id/branches/:branch_id/endpoints', (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    const computes = project.computes.filter(({ branchId }) => branchId === branch.id)
    const answer = call.json(endpointsWire({ ...project, computes }, api))
    wakeOnRead({ ...project, computes }, api)
    return answer
  })

  app.get(ITEM, (call) => {
    const project = projectOr404(call, api)
    const compute = computeOr404(project, call.req.param('endpoint_id'))
    const answer = call.json({ endpoint: endpointWire(project.id, compute, wireViewOf(api)) })
    wakeOnRead({ ...project, computes: [compute] }, api)
    return answer
  })

  app.post(COLLECTION, async (call) => {
    const project = projectOr404(call, api)
    const { endpoint: fields } = await parseBody(call, createEndpointBody, api)
    requireRegion(fields.region_id, api)
    const config = configOf(fields)
    await requirePgSettings(config.pgSettings, PG_SETTINGS, api)
    const endpointId = `ep-${api.random.text(ID_LENGTH)}`
    const { type, branch_id: branchId } = fields
    return call.json(
      sendRequest(project.id, { kind: 'create', endpointId, type, branchId, config }, api),
      201,
    )
  })

  app.patch(ITEM, async (call) => {
    const project = projectOr404(call, api)
    const { endpoint: fields } = await parseBody(call, updateEndpointBody, api)
    const endpointId = call.req.param('endpoint_id')
    computeOr404(project, endpointId)
    const changes = configOf(fields)
    await requirePgSettings(changes.pgSettings, PG_SETTINGS, api)
    const request = { kind: 'update', endpointId, changes, branchId: fields.branch_id } as const
    return call.json(sendRequest(project.id, request, api))
  })

  app.delete(ITEM, (call) => {
    const project = projectOr404(call, api)
    const endpointId = call.req.param('endpoint_id')
    if (!computeOf(project, endpointId)) return call.body(null, 204)
    return call.json(sendRequest(project.id, { kind: 'delete', endpointId }, api))
  })

  for (const kind of ['start', 'suspend', 'restart'] as const) {
    app.post(`${ITEM}/${kind}`, (call) => {
      const project = projectOr404(call, api)
      const endpointId = call.req.param('endpoint_id') ?? ''
      return call.json(sendRequest(project.id, { kind, endpointId }, api))
    })
  }
}

function computeOr404(project: Project, endpointId: string): Compute {
  const compute = computeOf(project, endpointId)
  if (!compute) throw new ApiError(404, `endpoint not found: ${endpointId}`)
  return compute
}

function endpointsWire({ id, computes }: Project, api: Api): Record<string, unknown> {
  const view = wireViewOf(api)
  return { endpoints: computes.map((compute) => endpointWire(id, compute, view)) }
}

/** Wakes the idle computes of a record that was read, where reading wakes. Refusals are ignored. */
function wakeOnRead({ id: projectId, computes }: Project, { settings, plane }: Api): void {
  if (!settings().apiReadsWake) return
  for (const { id, state } of computes)
    if (state === 'idle') plane.request(projectId, { kind: 'start', endpointId: id })
}

function requireRegion(region: string | undefined, api: Api): void {
  if (region === undefined || region === REGION) return
  throw new ApiError(
    api.settings().errors.invalid,
    `endpoint.region_id: expected ${REGION}, the region of the project, got ${region}`,
  )
}

/** Sends a request about one compute; returns the compute and the operations. */
function sendRequest(projectId: string, request: ComputeRequest, api: Api): Record<string, unknown> {
  const { compute, operations } = askPlane(projectId, request, api)
  return {
    endpoint: compute && endpointWire(projectId, compute, wireViewOf(api)),
    operations: operations.map(operationWire),
  }
}
