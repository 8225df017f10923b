// What the last pass saw: the fleet, one compute, and why it is as it is.
import type { Hono } from 'hono'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import { explainCompute } from './explain.ts'
import { computeJson, streamFleetJson, statusJson } from './status-json.ts'
import { streamText } from '../streaming.ts'
import { NOT_READY, problemBody } from '../problem.ts'

export type StatusSource = {
  /** The last one; undefined until the first pass has ended. */
  readonly snapshot: () => Snapshot | undefined
}

export function statusRoutes(app: Hono, { snapshot }: StatusSource): void {
  app.get('/api/v1/status', (context) => {
    const taken = snapshot()
    return taken ? context.json(statusJson(taken)) : context.json(NOT_READY, 503)
  })
  app.get('/api/v1/computes', (context) => {
    const taken = snapshot()
    if (!taken) return context.json(NOT_READY, 503)
    return context.body(streamText(streamFleetJson(taken)), 200, { 'content-type': 'application/json' })
  })
  app.get('/api/v1/computes/:id', (context) => {
    const view = snapshot()?.computes.find(({ ref }) => ref.endpointId === context.req.param('id'))
    return view ? context.json(computeJson(view)) : context.json(problemBody('no such compute'), 404)
  })
  app.get('/api/v1/explain/:name', (context) => {
    const taken = snapshot()
    if (!taken) return context.json(NOT_READY, 503)
    const found = explainCompute(taken, context.req.param('name'))
    return found.ok ? context.json(found.value) : context.json(problemBody(found.error), 404)
  })
}
