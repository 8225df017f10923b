import type { Hono } from 'hono'
import { ID_LENGTH } from '../../setup/default-catalogue.ts'
import { computeOf } from '../../control/draft.ts'
import type { ComputeRequest } from '../../control/events.ts'
import type { Project } from '../../control/project.ts'
import { askPlane } from '../ask-plane.ts'
import type { Api, Call, Env } from '../context.ts'
import {
  type EndpointCreateFields,
  type EndpointUpdateFields,
  configOf,
  createEndpointBody,
  updateEndpointBody,
} from '../wire/endpoint-body.ts'
import { errorAnswer } from '../errors.ts'
import { branchAndProjectOr404, projectOr404 } from '../found.ts'
import { bodyOf } from '../input.ts'
import { settingsAnswer } from '../settings-check.ts'
import { REGION, endpointWire, operationWire, wireViewOf } from '../wire/records.ts'

const BASE = '/projects/:project_id/endpoints'
const ONE = `${BASE}/:endpoint_id`

const PLACE = 'endpoint.settings.pg_settings'

export function endpointRoutes(app: Hono<Env>, api: Api): void {
  app.get(BASE, (call) => {
    const project = projectOr404(call, api)
    return project instanceof Response ? project : list(call, project, api)
  })

  app.get('/projects/:project_id/branches/:branch_id/endpoints', (call) => {
    const place = branchAndProjectOr404(call, api)
    if (place instanceof Response) return place
    const { project, branch } = place
    const computes = project.computes.filter(({ branchId }) => branchId === branch.id)
    return list(call, { ...project, computes }, api)
  })

  app.get(ONE, (call) => {
    const project = projectOr404(call, api)
    if (project instanceof Response) return project
    const endpointId = call.req.param('endpoint_id')
    const compute = computeOf(project, endpointId)
    if (!compute) return errorAnswer(call, 404, `endpoint not found: ${endpointId}`)
    const answer = call.json({ endpoint: endpointWire(project.id, compute, wireViewOf(api)) })
    wakeRead({ ...project, computes: [compute] }, api)
    return answer
  })

  app.post(BASE, async (call) => {
    const project = projectOr404(call, api)
    if (project instanceof Response) return project
    const body = await bodyOf(call, createEndpointBody, api)
    return body.ok ? create(call, project, { fields: body.value.endpoint, api }) : body.answer
  })

  app.patch(ONE, async (call) => {
    const project = projectOr404(call, api)
    if (project instanceof Response) return project
    const body = await bodyOf(call, updateEndpointBody, api)
    return body.ok ? update(call, project, { fields: body.value.endpoint, api }) : body.answer
  })

  app.delete(ONE, (call) => {
    const project = projectOr404(call, api)
    if (project instanceof Response) return project
    const endpointId = call.req.param('endpoint_id')
    if (!computeOf(project, endpointId)) return call.body(null, 204)
    return answerOf(
      call,
      { projectId: project.id, request: { kind: 'delete', endpointId }, status: 200 },
      api,
    )
  })

  for (const kind of ['start', 'suspend', 'restart'] as const) {
    app.post(`${ONE}/${kind}`, (call) => {
      const project = projectOr404(call, api)
      if (project instanceof Response) return project
      const endpointId = call.req.param('endpoint_id') ?? ''
      return answerOf(call, { projectId: project.id, request: { kind, endpointId }, status: 200 }, api)
    })
  }
}

function list(call: Call, project: Project, api: Api): Response {
  const view = wireViewOf(api)
  const answer = call.json({
    endpoints: project.computes.map((compute) => endpointWire(project.id, compute, view)),
  })
  wakeRead(project, api)
  return answer
}

/** Where reading a record wakes its compute. A compute that may not start stays as it is. */
function wakeRead({ id: projectId, computes }: Project, { settings, plane }: Api): void {
  if (!settings().apiReadsWake) return
  for (const { id, state } of computes)
    if (state === 'idle') plane.request(projectId, { kind: 'start', endpointId: id })
}

type Asked<Fields> = { readonly fields: Fields; readonly api: Api }

async function create(
  call: Call,
  project: Project,
  { fields, api }: Asked<EndpointCreateFields>,
): Promise<Response> {
  const refused = createAnswer(call, fields, api)
  if (refused) return refused
  const config = configOf(fields)
  const unfit = await settingsAnswer(call, { settings: config.pgSettings, place: PLACE }, api)
  if (unfit) return unfit
  const request: ComputeRequest = {
    kind: 'create',
    endpointId: `ep-${api.random.text(ID_LENGTH)}`,
    type: fields.type,
    branchId: fields.branch_id,
    config,
  }
  return answerOf(call, { projectId: project.id, request, status: 201 }, api)
}

function createAnswer(
  call: Call,
  { region_id: region }: EndpointCreateFields,
  api: Api,
): Response | undefined {
  if (region === undefined || region === REGION) return undefined
  return errorAnswer(
    call,
    api.settings().errors.invalid,
    `endpoint.region_id: expected ${REGION}, the region of the project, got ${region}`,
  )
}

async function update(
  call: Call,
  project: Project,
  { fields, api }: Asked<EndpointUpdateFields>,
): Promise<Response> {
  const endpointId = call.req.param('endpoint_id') ?? ''
  if (!computeOf(project, endpointId)) return errorAnswer(call, 404, `endpoint not found: ${endpointId}`)
  const changes = configOf(fields)
  const unfit = await settingsAnswer(call, { settings: changes.pgSettings, place: PLACE }, api)
  if (unfit) return unfit
  const request: ComputeRequest = { kind: 'update', endpointId, changes, branchId: fields.branch_id }
  return answerOf(call, { projectId: project.id, request, status: 200 }, api)
}

type Ask = { readonly projectId: string; readonly request: ComputeRequest; readonly status: 200 | 201 }

function answerOf(call: Call, { projectId, request, status }: Ask, api: Api): Response {
  const answer = askPlane(call, { projectId, request }, api)
  if (answer instanceof Response) return answer
  const endpoint = answer.compute && endpointWire(projectId, answer.compute, wireViewOf(api))
  return call.json({ endpoint, operations: answer.operations.map(operationWire) }, status)
}
