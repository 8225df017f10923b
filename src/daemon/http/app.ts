import { Hono, type MiddlewareHandler } from 'hono'
import type { History } from '../../model/ports/history.ts'
import { exportRequestOf, exportText, type ExportedAccount, type ExportRequest } from '../history/export.ts'
import type { Reloaded } from '../reload.ts'
import type { ChangeSources } from '../changes/list-changes.ts'
import { brakeRoutes } from './api/brake-routes.ts'
import { budgetRoutes } from './api/budget-routes.ts'
import { changeRoutes } from './api/change-routes.ts'
import { explain, type ExplainSources } from './api/explain.ts'
import { holdRoutes } from './api/hold-routes.ts'
import { recommendationRoutes, type AdviceRouteSources } from './api/recommendation-routes.ts'
import { reportRoutes, type ReportSources } from './api/report-routes.ts'
import { computeJson, statusJson, streamFleetJson } from './api/status-json.ts'
import { pageRoutes } from './pages/page-routes.ts'
import type { PageSources } from './pages/page-sources.ts'
import { NOT_READY, refuse, refuseUnknownPath, streamText } from './answers.ts'

export type ApiSources = ReportSources &
  PageSources &
  AdviceRouteSources & {
    readonly history: History
    readonly accounts: () => readonly ExportedAccount[]
    /** Undefined where no changes are made. */
    readonly changes?: ChangeSources | undefined
    /** Undefined where there is no configuration file to read. */
    readonly reload?: (() => Promise<Reloaded>) | undefined
    /** Run before every route, in order. */
    readonly before?: readonly MiddlewareHandler[]
  }

export function createApiApp({ before = [], ...sources }: ApiSources): Hono {
  const app = new Hono()
  for (const middleware of before) app.use(middleware)
  statusRoutes(app, sources)
  exportRoute(app, sources)
  reportRoutes(app, sources)
  recommendationRoutes(app, sources)
  if (sources.budgetPlans) budgetRoutes(app, sources.budgetPlans)
  if (sources.changes) {
    changeRoutes(app, sources.changes)
    holdRoutes(app, sources.changes)
    brakeRoutes(app, sources.changes)
  }
  reloadRoute(app, sources)
  pageRoutes(app, sources)
  app.get('/', (context) => context.json({ links: LINKS }))
  app.notFound(refuseUnknownPath)
  return app
}

const LINKS = [
  '/api/v1/status',
  '/api/v1/computes',
  '/api/v1/export',
  '/api/v1/report',
  '/api/v1/reports',
  '/api/v1/schema/report',
  '/api/v1/recommendations',
  '/api/v1/schema/recommendations',
  '/api/v1/changes',
  '/api/v1/plan',
  '/api/v1/holds',
  '/api/v1/brakes',
  '/api/v1/kill-switch',
  '/api/v1/schema/changes',
]

function statusRoutes(app: Hono, sources: Pick<ApiSources, 'snapshot'> & ExplainSources) {
  const { snapshot } = sources
  app.get('/api/v1/status', (context) => {
    const current = snapshot()
    return current ? context.json(statusJson(current)) : refuse(context, 503, NOT_READY)
  })
  app.get('/api/v1/computes', (context) => {
    const current = snapshot()
    if (!current) return refuse(context, 503, NOT_READY)
    return context.body(streamText(context, streamFleetJson(current)), 200, {
      'content-type': 'application/json',
    })
  })
  app.get('/api/v1/computes/:id', (context) => {
    const current = snapshot()
    if (!current) return refuse(context, 503, NOT_READY)
    const id = context.req.param('id')
    const view = current.computes.find(({ identity: { ref } }) => ref.endpointId === id)
    return view ? context.json(computeJson(view)) : refuse(context, 404, 'no such compute')
  })
  app.get('/api/v1/explain/:name', async (context) => {
    const current = snapshot()
    if (!current) return refuse(context, 503, NOT_READY)
    const explanation = await explain(current, context.req.param('name'), sources)
    return explanation.ok ? context.json(explanation.value) : refuse(context, 404, explanation.error)
  })
}

const EXPORT_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
} as const satisfies Record<ExportRequest['format'], string>

function exportRoute(app: Hono, { history, accounts }: Pick<ApiSources, 'history' | 'accounts'>) {
  app.get('/api/v1/export', (context) => {
    const request = exportRequestOf(context.req.query())
    if (!request.ok) return refuse(context, 400, request.error)
    const text = exportText(history, accounts(), request.value)
    return context.body(streamText(context, text), 200, {
      'content-type': EXPORT_TYPES[request.value.format],
    })
  })
}

function reloadRoute(app: Hono, { reload }: Pick<ApiSources, 'reload'>) {
  if (!reload) return
  app.post('/-/reload', async (context) => {
    const reloaded = await reload()
    if (reloaded.ok) return context.json({ changed: reloaded.value })
    const problems = reloaded.error
    return context.json({ message: `nothing was taken over: ${problems.join('; ')}`, problems }, 400)
  })
}
