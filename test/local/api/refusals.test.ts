// Refusals of the routes of projects, branches, roles and databases: they name the field and change nothing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Simulated, startSimulated } from '../../support/simulated-service.ts'
import { type Answered, call } from '../support.ts'

const project = '/projects/local-000000'
const branch = `${project}/branches/br-000000`
const consumption = '/consumption_history/v2'
const range =
  'org_id=org-none&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&granularity=daily&metrics=compute_unit_seconds'
let service: Simulated

beforeAll(async () => {
  service = await startSimulated({ projects: [{ name: 'shop' }] })
})

afterAll(() => service.stop())

const ask = (route: string, body?: unknown): Promise<Answered> =>
  call({ ...service, truth: () => service.truth() }, route, body === undefined ? {} : { body })

const role = (name: unknown): unknown => ({ role: { name } })
const database = (name: unknown, owner: unknown): unknown => ({ database: { name, owner_name: owner } })

const state = async (): Promise<unknown> => [
  (await ask(`GET ${project}`)).body.project.updated_at,
  (await ask(`GET ${project}/branches`)).body.branches.length,
  (await ask(`GET ${branch}/roles`)).body.roles,
  (await ask(`GET ${branch}/databases`)).body.databases,
  (await ask('GET /projects')).body.projects.length,
]

test.each<[route: string, body: unknown, status: number, field: string]>([
  ['POST B/roles', role('app_owner'), 409, 'role.name'],
  ['POST B/roles', role('cloud_admin'), 400, 'role.name'],
  ['POST B/roles', role('pg_monitor'), 400, 'role.name'],
  ['POST B/roles', role(''), 400, 'role.name'],
  ['POST B/roles', role('x'.repeat(64)), 400, 'role.name'],
  ['POST B/roles', role('a\u0000b'), 400, 'role.name'],
  ['POST B/roles', role(7), 400, 'role.name'],
  ['POST B/roles', {}, 400, 'role'],
  ['DELETE B/roles/app_owner', undefined, 422, 'app'],
  ['GET B/roles/nobody', undefined, 404, 'nobody'],
  ['GET B/roles/nobody/reveal_password', undefined, 404, 'nobody'],
  ['POST B/roles/nobody/reset_password', undefined, 404, 'nobody'],
  ['POST B/databases', database('app', 'app_owner'), 409, 'database.name'],
  ['POST B/databases', database('postgres', 'app_owner'), 400, 'database.name'],
  ['POST B/databases', database('new', 'nobody'), 404, 'database.owner_name'],
  ['POST B/databases', database('new', undefined), 400, 'database.owner_name'],
  ['GET B/databases/none', undefined, 404, 'none'],
  ['GET P/branches/br-none/databases', undefined, 404, 'br-none'],
  ['POST P/branches', { branch: { name: 'main' } }, 409, 'branch.name'],
  ['POST P/branches', { branch: { parent_id: 'br-none' } }, 404, 'branch.parent_id'],
  ['POST P/branches', { branch: { parent_lsn: '0/0' } }, 422, 'branch.parent_lsn'],
  ['POST P/branches', { endpoints: [{ type: 'read_write' }, { type: 'read_write' }] }, 409, 'endpoints'],
  [
    'POST P/branches',
    { endpoints: [{ type: 'read_write', autoscaling_limit_max_cu: 11 }] },
    400,
    'endpoints.0.autoscaling_limit',
  ],
  [
    'POST P/branches',
    { endpoints: [{ type: 'read_write', settings: { pg_settings: { port: '1' } } }] },
    400,
    'endpoints.0.settings.pg_settings.port',
  ],
  ['DELETE B', undefined, 422, 'default branch'],
  ['PATCH P/branches/br-none', { branch: {} }, 404, 'br-none'],
  [
    'PATCH P',
    { project: { settings: { quota: { active_time_seconds: -1 } } } },
    400,
    'project.settings.quota.active_time_seconds',
  ],
  [
    'PATCH P',
    { project: { default_endpoint_settings: { suspend_timeout_seconds: 604_801 } } },
    400,
    'project.default_endpoint_settings.suspend_timeout_seconds',
  ],
  [
    'PATCH P',
    { project: { default_endpoint_settings: { autoscaling_limit_min_cu: 0.75 } } },
    400,
    'project.default_endpoint_settings.autoscaling_limit_min_cu',
  ],
  [
    'PATCH P',
    { project: { default_endpoint_settings: { pg_settings: { port: '1' } } } },
    400,
    'project.default_endpoint_settings.pg_settings.port',
  ],
  ['POST /projects', {}, 400, 'project'],
  ['POST /projects', { project: { region_id: 'mars' } }, 400, 'project.region_id'],
  [
    'POST /projects',
    { project: { pg_version: 14, branch: { role_name: 'postgres' } } },
    400,
    'project.branch.role_name',
  ],
  ['POST /projects', { project: { branch: { role_name: 'dormouse' } } }, 400, 'project.branch.role_name'],
  ['POST /projects', { project: { org_id: 'org-none' } }, 404, 'project.org_id'],
  ['POST /projects', { project: { autoscaling_limit_max_cu: 11 } }, 400, 'project.autoscaling_limit'],
  ['GET /projects?org_id=org-none', undefined, 404, 'org_id'],
  ['GET /organizations/org-none', undefined, 404, 'org-none'],
  ['GET P/branches?sort_by=size', undefined, 400, 'sort_by'],
  [`GET ${consumption}/branches?${range}&project_ids=`, undefined, 400, 'project_ids'],
  [`GET ${consumption}/branches?${range}&project_ids=p${',q'.repeat(100)}`, undefined, 400, 'project_ids'],
  [`GET ${consumption}/projects?${range}&project_ids=p${',q'.repeat(100)}`, undefined, 400, 'project_ids'],
])('%s %j: %i', async (route, body, status, field) => {
  const before = await state()
  const answer = await ask(
    route.replace(' B', ` ${branch}`).replace(' P/', ` ${project}/`).replace(/ P$/, ` ${project}`),
    body,
  )
  expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(field)])
  expect(await state()).toEqual(before)
})
