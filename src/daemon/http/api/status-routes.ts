// What the last pass saw: the fleet, one compute, and why it is as it is.
import type { Hono } from 'hono'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import { explained } from './explain.ts'
import { computeStatus, fleetText, statusOf } from './status-json.ts'
import { encoded } from '../streaming.ts'
import { NOT_YET, problem } from '../problem.ts'

export type Shown = {
  /** The last one; undefined until the first pass has ended. */
  readonly snapshot: () => Snapshot | undefined
}

export function statusRoutes(app: Hono, { snapshot }: Shown): void {
  app.get('/api/v1/status', (context) => {
    const taken = snapshot()
    return taken ? context.json(statusOf(taken)) : context.json(NOT_YET, 503)
  })
  app.get('/api/v1/computes', (context) => {
    const taken = snapshot()
    if (!taken) return context.json(NOT_YET, 503)
    return context.body(encoded(fleetText(taken)), 200, { 'content-type': 'application/json' })
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
}
