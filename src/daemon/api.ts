// The listener for people and scripts, on loopback.
import { Hono } from 'hono'
import type { Snapshot } from '../model/snapshot.ts'
import { computeStatus, fleetOf, statusOf } from './status.ts'

/** @param snapshot the last one; undefined until the first pass has ended */
export function apiApp(snapshot: () => Snapshot | undefined): Hono {
  const app = new Hono()
  app.use(async (context, next) => {
    // A page on another site may resolve its own name to loopback; it cannot choose the Host header.
    if (!isLoopbackName(context.req.header('host') ?? '')) return context.json(problem('unknown Host'), 403)
    await next()
    context.header('cache-control', 'no-store')
    return undefined
  })
  app.get('/api/v1/status', (context) => {
    const taken = snapshot()
    return taken ? context.json(statusOf(taken)) : context.json(NOT_YET, 503)
  })
  app.get('/api/v1/computes', (context) => {
    const taken = snapshot()
    if (!taken) return context.json(NOT_YET, 503)
    return context.json(fleetOf(taken))
  })
  app.get('/api/v1/computes/:id', (context) => {
    const view = snapshot()?.computes.find(({ ref }) => ref.endpointId === context.req.param('id'))
    return view ? context.json(computeStatus(view)) : context.json(problem('no such compute'), 404)
  })
  app.get('/', (context) => context.json({ links: ['/api/v1/status', '/api/v1/computes'] }))
  app.notFound((context) => context.json(problem(`nothing at ${context.req.path}`), 404))
  return app
}

const problem = (message: string): { readonly message: string } => ({ message })
const NOT_YET = problem('the first pass has not ended yet')

const isLoopbackName = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host)
