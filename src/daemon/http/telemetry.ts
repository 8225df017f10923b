// App of the telemetry listener, for Prometheus and the kubelet: read-only, ids and names only.
import { Hono, type Context, type MiddlewareHandler } from 'hono'
import { CONTENT_TYPE } from '../../outputs/metrics/exposition/format.ts'
import { negotiateFormat, acceptsGzip } from '../../outputs/metrics/exposition/negotiate.ts'
import { compressPrefix, finishCompressed } from '../../outputs/metrics/exposition/compress.ts'
import type { ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Exposition } from '../snapshot/exposition.ts'
import { inChunks, inTurns } from '../turns.ts'
import { sumOf } from '../../std/sum.ts'
import { NOT_READY, refuseUnknownPath } from './answers.ts'

export type Telemetry = Readonly<{
  /** Whether the loops run. Not of the service, whose failures a restart would not repair. */
  healthy: () => boolean
  /** Reason for people; undefined when ready. */
  notReady: () => string | undefined
  exposition: Exposition
  /** Undefined until the first pass ended. */
  snapshot: () => Snapshot | undefined
  clock: Pick<Clock, 'yield'>
  counted: MiddlewareHandler
  /** `token`: before the routes that tell names. */
  checks?: Readonly<{ origin: MiddlewareHandler; token: MiddlewareHandler }>
}>

export function telemetryApp({ exposition, counted, checks, ...rest }: Telemetry): Hono {
  const app = new Hono()
  app.use(counted)
  if (checks) app.use(checks.origin).use('/metrics', checks.token).use('/sd', checks.token)
  app.get('/metrics', async (context) => {
    const format = negotiateFormat(context.req.header('accept'))
    const gzip = acceptsGzip(context.req.header('accept-encoding'))
    const names = context.req.queries('name[]') ?? []
    const pieces = await exposition.body({ format, gzip, names, projectId: context.req.query('project_id') })
    return sendShared(context, pieces, { 'content-type': CONTENT_TYPE[format], ...encoding(gzip) })
  })
  healthRoutes(app, rest)
  discoveryRoute(app, rest)
  app.get('/', (context) => context.html(LANDING, 200, { 'content-security-policy': "default-src 'none'" }))
  app.notFound(refuseUnknownPath)
  return app
}

/** Pieces that other answers send, too: none is copied for a client that reads slowly. */
const sendShared = (context: Context, pieces: readonly Buffer[], headers: Record<string, string>) =>
  context.body(ReadableStream.from(pieces), 200, {
    ...headers,
    'content-length': String(sumOf(pieces, ({ length }) => length)),
  })

const encoding = (gzip: boolean): Record<string, string> => ({
  vary: 'accept, accept-encoding',
  ...(gzip && { 'content-encoding': 'gzip' }),
})

function healthRoutes(app: Hono, { healthy, notReady }: Pick<Telemetry, 'healthy' | 'notReady'>) {
  app.on('GET', ['/-/healthy', '/healthz'], (context) =>
    healthy() ? context.text('ok\n') : context.text('the loop does not turn\n', 503),
  )
  app.on('GET', ['/-/ready', '/readyz'], (context) => {
    const reason = notReady()
    return reason === undefined ? context.text('ready\n') : context.text(`${reason}\n`, 503)
  })
}

/** Rendered once per snapshot, at the first request. */
function discoveryRoute(app: Hono, { snapshot, clock }: Pick<Telemetry, 'snapshot' | 'clock'>) {
  const rendered = new WeakMap<Snapshot, ReturnType<typeof discoveryBodies>>()
  app.get('/sd', async (context) => {
    const current = snapshot()
    // Prometheus keeps its targets after an error
    if (!current) return context.text(`${NOT_READY}\n`, 503)
    const rendering = rendered.get(current) ?? discoveryBodies(current, clock)
    rendered.set(current, rendering)
    const gzip = acceptsGzip(context.req.header('accept-encoding'))
    const { plain, compressed } = await rendering
    const headers = { 'content-type': 'application/json', ...encoding(gzip) }
    return sendShared(context, gzip ? compressed : [plain], headers)
  })
}

/** Source: service interface, connection strings. */
const PORT = 5432
const COMPUTES_PER_TURN = 2000

/** For exporters that look into Postgres; without computes whose host is not allowed. Source: Prometheus, "Writing HTTP service discovery". */
async function discoveryBodies({ computes }: Snapshot, clock: Telemetry['clock']) {
  const targets: string[] = []
  for await (const views of inTurns(inChunks(computes, COMPUTES_PER_TURN), clock))
    for (const view of views) if (view.identity.isHostAllowed) targets.push(JSON.stringify(targetOf(view)))
  const plain = Buffer.from(`[${targets.join(',')}]\n`)
  const compressed = await finishCompressed(await compressPrefix([plain]), Buffer.of())
  return { plain, compressed }
}

const targetOf = ({ identity: { compute, project, owner }, state: { shown: state } }: ComputeView) => ({
  targets: [`${compute.host}:${PORT}`],
  labels: {
    __meta_dormouse_project_id: compute.projectId,
    __meta_dormouse_project_name: project?.name ?? '',
    __meta_dormouse_endpoint_id: compute.endpointId,
    __meta_dormouse_branch_id: compute.branchId,
    __meta_dormouse_region_id: compute.regionId,
    __meta_dormouse_type: compute.type,
    __meta_dormouse_state: state,
    __meta_dormouse_team: owner.team,
    __meta_dormouse_tier: owner.tier,
  },
})

const LANDING = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Dormouse</title></head>
<body>
<h1>Dormouse</h1>
<ul>
<li><a href="/metrics">/metrics</a>: metrics for Prometheus; name[] and project_id pick some</li>
<li><a href="/sd">/sd</a>: computes as targets of HTTP service discovery. Whoever connects to one
wakes it, and keeps it awake: keep only those for which that is worth its price</li>
<li><a href="/-/healthy">/-/healthy</a>: the loop turns</li>
<li><a href="/-/ready">/-/ready</a>: every account could be asked</li>
</ul>
</body>
</html>
`
