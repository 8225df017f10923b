// The listener for people and scripts.
import { Hono, type MiddlewareHandler } from 'hono'
import { exportRoutes, type ExportSources } from './api/export-routes.ts'
import { pageRoutes } from './pages/page-routes.ts'
import type { PageSources } from './pages/page-sources.ts'
import { problemBody } from './problem.ts'
import { reloadRoute, type ReloadSource } from './api/reload-route.ts'
import { reportRoutes, type ReportSources } from './api/report-routes.ts'
import { statusRoutes, type StatusSource } from './api/status-routes.ts'

export type ApiSources = StatusSource &
  ExportSources &
  ReportSources &
  ReloadSource &
  PageSources & {
    /** What every request passes first, in order. */
    readonly before?: readonly MiddlewareHandler[]
  }

export function createApiApp({ before = [], ...shown }: ApiSources): Hono {
  const app = new Hono()
  for (const each of before) app.use(each)
  statusRoutes(app, shown)
  exportRoutes(app, shown)
  reportRoutes(app, shown)
  reloadRoute(app, shown)
  pageRoutes(app, shown)
  app.get('/', (context) => context.json({ links: LINKS }))
  app.notFound((context) => context.json(problemBody(`nothing at ${context.req.path}`), 404))
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
