// The listener for people and scripts.
import { Hono, type MiddlewareHandler } from 'hono'
import { exportRoutes, type Exported } from './api/export-routes.ts'
import { pageRoutes, type Paged } from './pages/page-routes.ts'
import { problem } from './problem.ts'
import { reloadRoute, type Reloadable } from './api/reload-route.ts'
import { reportRoutes, type Reported } from './api/report-routes.ts'
import { statusRoutes, type Shown } from './api/status-routes.ts'

export type Api = Shown &
  Exported &
  Reported &
  Reloadable &
  Paged & {
    /** What every request passes first, in order. */
    readonly before?: readonly MiddlewareHandler[]
  }

export function apiApp({ before = [], ...shown }: Api): Hono {
  const app = new Hono()
  for (const each of before) app.use(each)
  statusRoutes(app, shown)
  exportRoutes(app, shown)
  reportRoutes(app, shown)
  reloadRoute(app, shown)
  pageRoutes(app, shown)
  app.get('/', (context) => context.json({ links: LINKS }))
  app.notFound((context) => context.json(problem(`nothing at ${context.req.path}`), 404))
  return app
}

const LINKS = [
  '/api/v1/status',
  '/api/v1/computes',
  '/api/v1/export',
  '/api/v1/report',
  '/api/v1/reports',
  '/api/v1/schema/report',
]
