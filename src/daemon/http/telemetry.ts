// The listener for Prometheus and the kubelet: read-only, ids and names only.
import { Hono, type MiddlewareHandler } from 'hono'
import { CONTENT_TYPE } from '../../outputs/metrics/exposition/format.ts'
import { negotiateFormat, acceptsGzip } from '../../outputs/metrics/exposition/negotiate.ts'
import { compressPrefix, finishCompressed } from '../../outputs/metrics/exposition/compress.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import { runYielding } from '../../std/cooperative.ts'
import type { Exposition } from '../snapshot/exposition.ts'
import { serviceDiscoveryJson } from './service-discovery.ts'

export type Health = {
  /** The loop turns: never a matter of the remote service, which a restart would not repair. */
  readonly healthy: () => boolean
  /** Undefined when ready, else why not, for people. */
  readonly notReady: () => string | undefined
}

export type Telemetry = Health & {
  readonly exposition: Exposition
  /** The last one; undefined until the first pass has ended. */
  readonly snapshot: () => Snapshot | undefined
  /** Gives up a turn of the event loop. */
  readonly pause: () => Promise<void>
  readonly counted: MiddlewareHandler
}

export function telemetryApp({ exposition, counted, ...rest }: Telemetry): Hono {
  const app = new Hono()
  app.use(counted)
  app.get('/metrics', async (context) => {
    const format = negotiateFormat(context.req.header('accept'))
    const gzip = acceptsGzip(context.req.header('accept-encoding'))
    const names = context.req.queries('name[]') ?? []
    const body = await exposition.body({ format, gzip, names, projectId: context.req.query('project_id') })
    return context.body(body, 200, { 'content-type': CONTENT_TYPE[format], ...encoding(gzip) })
  })
  healthRoutes(app, rest)
  discoveryRoute(app, rest)
  app.get('/', (context) => context.html(LANDING, 200, { 'content-security-policy': "default-src 'none'" }))
  return app
}

const encoding = (gzip: boolean): Record<string, string> => ({
  vary: 'accept, accept-encoding',
  ...(gzip && { 'content-encoding': 'gzip' }),
})

function healthRoutes(app: Hono, { healthy, notReady }: Health): void {
  for (const path of ['/-/healthy', '/healthz']) {
    app.get(path, (context) =>
      healthy() ? context.text('ok\n') : context.text('the loop does not turn\n', 503),
    )
  }
  for (const path of ['/-/ready', '/readyz']) {
    app.get(path, (context) => {
      const reason = notReady()
      return reason === undefined ? context.text('ready\n') : context.text(`${reason}\n`, 503)
    })
  }
}

/** Made once per snapshot, at the first question. */
function discoveryRoute(app: Hono, { snapshot, pause }: Pick<Telemetry, 'snapshot' | 'pause'>): void {
  const made = new WeakMap<Snapshot, Promise<Buffer>>()
  app.get('/sd', async (context) => {
    const taken = snapshot()
    // whoever is refused keeps the targets it has
    if (!taken) return context.text('the first pass has not ended yet\n', 503)
    const making = made.get(taken) ?? runYielding(serviceDiscoveryJson(taken), pause)
    made.set(taken, making)
    const gzip = acceptsGzip(context.req.header('accept-encoding'))
    const body = gzip
      ? await finishCompressed(await compressPrefix([await making]), Buffer.of())
      : Buffer.concat([await making])
    return context.body(body, 200, { 'content-type': 'application/json', ...encoding(gzip) })
  })
}

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
