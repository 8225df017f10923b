// The listener for Prometheus and the kubelet: read-only, ids and names only.
import { Hono } from 'hono'
import type { Exposition } from './exposition.ts'

export type Health = {
  /** The loop turns: never a matter of the remote service, which a restart would not repair. */
  readonly healthy: () => boolean
  /** Undefined when ready, else why not, for people. */
  readonly notReady: () => string | undefined
}

export function telemetryApp(exposition: Exposition, { healthy, notReady }: Health): Hono {
  const app = new Hono()
  app.get('/metrics', async (context) =>
    context.text(await exposition.text(), 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    }),
  )
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
  app.get('/', (context) => context.text('Dormouse: /metrics /-/healthy /-/ready\n'))
  return app
}
