import type { Hono } from 'hono'
import type { Api, Env } from './context.ts'

/** The account everything belongs to. Limits of 0 mean none. */
export function userRoutes(app: Hono<Env>, { accountId, settings }: Api): void {
  app.get('/users/me', (call) =>
    call.json({
      id: accountId,
      login: 'local',
      email: 'local@localhost.localdomain',
      name: 'local',
      last_name: '',
      image: '',
      plan: settings.plan === 'free' ? 'free_v3' : 'scale_v3',
      active_seconds_limit: 0,
      projects_limit: 0,
      branches_limit: 0,
      max_autoscaling_limit: settings.plan === 'free' ? 0.25 : 10,
      auth_accounts: [],
    }),
  )
}
