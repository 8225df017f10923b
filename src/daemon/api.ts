// The listener for people and scripts, on loopback.
import { Hono } from 'hono'
import type { History } from '../model/ports.ts'
import type { Snapshot } from '../model/snapshot.ts'
import { explained } from './explain.ts'
import { exportRequestOf } from './export-query.ts'
import { exportText, type ExportedAccount, type ExportRequest } from './export.ts'
import { computeStatus, fleetOf, statusOf } from './status.ts'

/** What the listener shows. */
export type Shown = {
  /** The last one; undefined until the first pass has ended. */
  readonly snapshot: () => Snapshot | undefined
  readonly history: History
  readonly accounts: () => readonly ExportedAccount[]
}

export function apiApp({ snapshot, history, accounts }: Shown): Hono {
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
  app.get('/api/v1/explain/:name', (context) => {
    const taken = snapshot()
    if (!taken) return context.json(NOT_YET, 503)
    const found = explained(taken, context.req.param('name'))
    return found.ok ? context.json(found.value) : context.json(problem(found.error), 404)
  })
  app.get('/api/v1/export', (context) => {
    const request = exportRequestOf(context.req.query())
    if (!request.ok) return context.json(problem(request.error), 400)
    const text = exportText(history, accounts(), request.value)
    return context.body(encoded(text), 200, { 'content-type': CONTENT_TYPE[request.value.format] })
  })
  app.get('/', (context) => context.json({ links: LINKS }))
  app.notFound((context) => context.json(problem(`nothing at ${context.req.path}`), 404))
  return app
}

const LINKS = ['/api/v1/status', '/api/v1/computes', '/api/v1/export']

const CONTENT_TYPE = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
} as const satisfies Record<ExportRequest['format'], string>

/** Read as fast as it is sent: a reader that stops ends the reading. */
const encoded = (pieces: AsyncIterable<string>): ReadableStream =>
  ReadableStream.from(pieces).pipeThrough(new TextEncoderStream())

const problem = (message: string): { readonly message: string } => ({ message })
const NOT_YET = problem('the first pass has not ended yet')

const isLoopbackName = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host)
