import { createAdaptorServer } from '@hono/node-server'
import { createApp } from '../api/app.ts'
import type { Api } from '../api/context.ts'

/** The API as an HTTP server that does not listen yet, and its end, which ends its connections too. */
export function createHttp(api: Api): {
  readonly server: ReturnType<typeof createAdaptorServer>
  readonly close: () => Promise<void>
} {
  const server = createAdaptorServer({ fetch: createApp(api).fetch })
  return {
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      }),
  }
}
