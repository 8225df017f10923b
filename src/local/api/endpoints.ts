import type { Hono } from 'hono'
import { computeOf } from '../control/draft.ts'
import type { Answer, Request } from '../control/events.ts'
import type { Project } from '../control/project.ts'
import type { Api, Call, Env } from './context.ts'
import { type CreateFields, type UpdateFields, configOf, createBody, updateBody } from './endpoint-body.ts'
import { notYetInCreate, notYetInUpdate } from './endpoint-not-yet.ts'
import { refuse } from './errors.ts'
import { bodyOf } from './input.ts'
import { projectOf } from './projects.ts'
import { REGION, endpointWire, operationWire } from './wire.ts'

/** Length of the random part of a compute's id. */
const ID_LENGTH = 12

const BASE = '/projects/:project_id/endpoints'
const ONE = `${BASE}/:endpoint_id`

export function endpointRoutes(app: Hono<Env>, api: Api): void {
  app.get(BASE, (call) => {
    const project = projectOf(call, api)
    return project instanceof Response ? project : call.json({ endpoints: listOf(project, api) })
  })

  app.get('/projects/:project_id/branches/:branch_id/endpoints', (call) => {
    const project = projectOf(call, api)
    if (project instanceof Response) return project
    const branchId = call.req.param('branch_id')
    if (!project.branches.some(({ id }) => id === branchId))
      return refuse(call, 404, `branch not found: ${branchId}`)
    return call.json({ endpoints: listOf(project, api, branchId) })
  })

  app.get(ONE, (call) => {
    const project = projectOf(call, api)
    if (project instanceof Response) return project
    const endpointId = call.req.param('endpoint_id')
    const compute = computeOf(project, endpointId)
    if (!compute) return refuse(call, 404, `endpoint not found: ${endpointId}`)
    return call.json({ endpoint: endpointWire(project.id, compute, viewOf(api)) })
  })

  app.post(BASE, async (call) => {
    const project = projectOf(call, api)
    if (project instanceof Response) return project
    const body = await bodyOf(call, createBody)
    return body.ok ? create(call, project, { fields: body.value.endpoint, api }) : body.answer
  })

  app.patch(ONE, async (call) => {
    const project = projectOf(call, api)
    if (project instanceof Response) return project
    const body = await bodyOf(call, updateBody)
    return body.ok ? update(call, project, { fields: body.value.endpoint, api }) : body.answer
  })

  app.delete(ONE, (call) => {
    const project = projectOf(call, api)
    if (project instanceof Response) return project
    const endpointId = call.req.param('endpoint_id')
    if (!computeOf(project, endpointId)) return call.body(null, 204)
    return ask(call, { projectId: project.id, request: { kind: 'delete', endpointId }, status: 200 }, api)
  })

  for (const kind of ['start', 'suspend', 'restart'] as const) {
    app.post(`${ONE}/${kind}`, (call) => {
      const project = projectOf(call, api)
      if (project instanceof Response) return project
      const endpointId = call.req.param('endpoint_id') ?? ''
      return ask(call, { projectId: project.id, request: { kind, endpointId }, status: 200 }, api)
    })
  }
}

const viewOf = ({ clock, settings }: Api): { now: number; lag: number } => ({
  now: clock.now(),
  lag: settings.lastActiveLag,
})

const listOf = (project: Project, api: Api, branchId?: string): Record<string, unknown>[] =>
  project.computes
    .filter((compute) => branchId === undefined || compute.branchId === branchId)
    .map((compute) => endpointWire(project.id, compute, viewOf(api)))

type Asked<Fields> = { readonly fields: Fields; readonly api: Api }

function create(call: Call, project: Project, { fields, api }: Asked<CreateFields>): Response {
  if (fields.region_id !== undefined && fields.region_id !== REGION) {
    return refuse(
      call,
      400,
      `endpoint.region_id: expected ${REGION}, the region of the project, got ${fields.region_id}`,
    )
  }
  if (fields.type === 'read_only' && api.settings.plan === 'free') {
    return refuse(call, 403, 'endpoint.type: read replicas need a paid plan')
  }
  const missing = notYetInCreate(fields, api.settings)
  if (missing) return refuse(call, 501, missing)
  const request: Request = {
    kind: 'create',
    endpointId: `ep-${api.random.text(ID_LENGTH)}`,
    branchId: fields.branch_id,
    config: configOf(fields),
  }
  return ask(call, { projectId: project.id, request, status: 201 }, api)
}

function update(call: Call, project: Project, { fields, api }: Asked<UpdateFields>): Response {
  const endpointId = call.req.param('endpoint_id') ?? ''
  const compute = computeOf(project, endpointId)
  if (!compute) return refuse(call, 404, `endpoint not found: ${endpointId}`)
  const target = fields.branch_id
  if (target !== undefined && !project.branches.some(({ id }) => id === target)) {
    return refuse(call, 404, `endpoint.branch_id: branch not found: ${target}`)
  }
  const missing = notYetInUpdate(fields, compute, api.settings)
  if (missing) return refuse(call, 501, missing)
  const request: Request = { kind: 'update', endpointId, changes: configOf(fields) }
  return ask(call, { projectId: project.id, request, status: 200 }, api)
}

type Ask = { readonly projectId: string; readonly request: Request; readonly status: 200 | 201 }

function ask(call: Call, { projectId, request, status }: Ask, api: Api): Response {
  const answer: Answer | undefined = api.engine.request(projectId, request)
  if (!answer) return refuse(call, 404, `project not found: ${projectId}`)
  if (!answer.ok) return refuse(call, answer.refusal.status, answer.refusal.message)
  const endpoint = endpointWire(projectId, answer.compute, viewOf(api))
  return call.json({ endpoint, operations: answer.operations.map(operationWire) }, status)
}
