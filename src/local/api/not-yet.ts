import type { Hono } from 'hono'
import type { Env } from './context.ts'
import { refuse } from './errors.ts'

/** Routes the service has and the local service does not: they answer 501. Paths are relative to `/api/v2`. */
export const NOT_YET = [
  { method: 'POST', path: '/projects', what: 'creating a project' },
  { method: 'PATCH', path: '/projects/{project_id}', what: 'changing a project' },
  { method: 'DELETE', path: '/projects/{project_id}', what: 'deleting a project' },
  { method: 'POST', path: '/projects/{project_id}/branches', what: 'creating a branch' },
  { method: 'DELETE', path: '/projects/{project_id}/branches/{branch_id}', what: 'deleting a branch' },
  { method: 'GET', path: '/projects/{project_id}/branches/{branch_id}/databases', what: 'listing databases' },
  { method: 'GET', path: '/projects/{project_id}/branches/{branch_id}/roles', what: 'listing roles' },
  {
    method: 'GET',
    path: '/projects/{project_id}/branches/{branch_id}/roles/{role_name}/reveal_password',
    what: 'revealing a password',
  },
  { method: 'GET', path: '/consumption_history/v2/projects', what: 'consumption history' },
  { method: 'GET', path: '/consumption_history/v2/branches', what: 'consumption history' },
  { method: 'GET', path: '/organizations/{org_id}/billing/spending_limit', what: 'the spending limit' },
  { method: 'PUT', path: '/organizations/{org_id}/billing/spending_limit', what: 'the spending limit' },
  { method: 'DELETE', path: '/organizations/{org_id}/billing/spending_limit', what: 'the spending limit' },
] as const

/** What known routes do not do yet: the request that asks for it answers 501, and nothing changes. */
export const NOT_YET_IN_REQUESTS = {
  replica: 'endpoint.type: read replicas are not there yet in the local service',
  range:
    'endpoint.autoscaling_limit_max_cu: autoscaling is not there yet in the local service: send both limits equal',
  pooler: 'endpoint.pooler_enabled: pooling is not there yet in the local service',
  settings: 'endpoint.settings.pg_settings: own Postgres settings are not there yet in the local service',
  move: 'endpoint.branch_id: moving an endpoint is not there yet in the local service',
  pooled: 'pooled: pooling is not there yet in the local service',
} as const

export function notYetRoutes(app: Hono<Env>): void {
  for (const { method, path, what } of NOT_YET) {
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), (call) =>
      refuse(call, 501, `${what} is not there yet in the local service`),
    )
  }
}
