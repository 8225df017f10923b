import { ID_LENGTH } from '../../setup/default-catalogue.ts'
import { computeOf } from '../../control/draft.ts'
import type { Request } from '../../control/events.ts'
import { type Compute, type Project, computesOn } from '../../control/project.ts'
import type { AddRoutes, Api, Call } from '../context.ts'
import { configOf, createEndpointBody, updateEndpointBody } from '../wire/bodies.ts'
import { ApiError, foundOr404 } from '../errors.ts'
import { parseBody, requirePgSettings } from '../input.ts'
import { askPlane, branchAndProjectOr404, projectOr404 } from '../plane-access.ts'
import { REGION, type WireRecord, endpointWire, endpointsWire, wireViewOf } from '../wire/records.ts'

const COLLECTION = '/projects/:project_id/endpoints'
const ITEM = `${COLLECTION}/:endpoint_id`

const PG_SETTINGS = 'endpoint.settings.pg_settings'

export const endpointRoutes: AddRoutes = (app, api) => {
  app.get(COLLECTION, (call) => listAnswer(call, projectOr404(call, api), api))

  app.get('/projects/:project_id/branches/:branch_id/endpoints', (call) => {
    const { project, branch } = branchAndProjectOr404(call, api)
    return listAnswer(call, { ...project, computes: computesOn(project, branch.id) }, api)
  })

  app.get(ITEM, (call) => {
    const project = projectOr404(call, api)
    const compute = computeOr404(project, call.req.param('endpoint_id'))
    const endpoint = endpointWire(project.id, compute, wireViewOf(api))
    wakeOnRead({ ...project, computes: [compute] }, api)
    return call.json({ endpoint })
  })

  app.post(COLLECTION, async (call) => {
    const project = projectOr404(call, api)
    const { endpoint: fields } = await parseBody(call, createEndpointBody, api)
    requireRegion(fields.region_id, api)
    const config = configOf(fields)
    await requirePgSettings(config.pgSettings, PG_SETTINGS, api)
    const endpointId = `ep-${api.random.text(ID_LENGTH)}`
    const { type, branch_id: branchId } = fields
    const request = { kind: 'create', endpointId, type, branchId, config } as const
    return call.json(sendRequest(project.id, request, api), 201)
  })

  app.patch(ITEM, async (call) => {
    const project = projectOr404(call, api)
    const { endpoint: fields } = await parseBody(call, updateEndpointBody, api)
    const { id: endpointId } = computeOr404(project, call.req.param('endpoint_id'))
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

  for (const kind of ['start', 'suspend', 'restart'] as const)
    app.post(`${ITEM}/${kind}`, (call) => {
      const project = projectOr404(call, api)
      const endpointId = call.req.param('endpoint_id') ?? ''
      return call.json(sendRequest(project.id, { kind, endpointId }, api))
    })
}

const computeOr404 = (project: Project, endpointId: string): Compute =>
  foundOr404(computeOf(project, endpointId), 'endpoint', endpointId)

function listAnswer(call: Call, project: Project, api: Api): Response {
  const endpoints = endpointsWire(project.id, project.computes, api)
  wakeOnRead(project, api)
  return call.json({ endpoints })
}

/** Wakes idle computes that were read, where reading wakes. Ignores refusals. */
function wakeOnRead({ id: projectId, computes }: Project, { settings, plane }: Api): void {
  if (!settings().apiReadsWake) return
  for (const { id, state } of computes)
    if (state === 'idle') plane.request(projectId, { kind: 'start', endpointId: id, byRead: true })
}

function requireRegion(region: string | undefined, { settings }: Api): void {
  if (region === undefined || region === REGION) return
  const expected = `expected ${REGION}, the region of the project, got ${region}`
  throw new ApiError(settings().errors.invalid, `endpoint.region_id: ${expected}`)
}

function sendRequest(projectId: string, request: Request, api: Api): WireRecord {
  const { compute, operations } = askPlane(projectId, request, api)
  return { endpoint: compute && endpointWire(projectId, compute, wireViewOf(api)), operations }
}
