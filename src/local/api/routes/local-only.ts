// Routes for programs on this machine, without a key: exact usage, counts of requests, behaviour switches.
import type { Hono } from 'hono'
import { DEFAULT_BEHAVIOUR } from '../../control/behaviour.ts'
import { changedBehaviour } from '../../engine/behaviour-switches.ts'
import { controlBody } from '../wire/behaviour-body.ts'
import type { Api, Call, Env } from '../context.ts'
import { ApiError } from '../errors.ts'
import { parseBody } from '../input.ts'
import type { RequestCounter } from '../request-counter.ts'

/** Default settings: no switch changes these routes. */
const PLAIN = { settings: () => DEFAULT_BEHAVIOUR }

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/

/** Own host names: another one may come from a web page by DNS rebinding. */
const OWN_NAME = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i

export function localOnlyRoutes(app: Hono<Env>, api: Api, counter: RequestCounter): void {
  app.use('/_*', async (call, next) => {
    requireThisMachine(call, api)
    return next()
  })

  app.get('/_truth', (call) => {
    const text = call.req.query('at')
    const at = text === undefined ? api.clock.now() : Date.parse(text)
    if (Number.isNaN(at)) throw new ApiError(400, `at: expected an ISO 8601 instant, got ${text}`)
    return call.json(api.truth(at))
  })

  app.get('/_requests', (call) => call.json(counter.tally()))

  app.get('/_control', (call) => call.json(api.switches.behaviour()))

  app.patch('/_control', async (call) => {
    const { maintenanceScheduledFor = {}, ...changes } = await parseBody(call, controlBody, PLAIN)
    const updates = Object.entries(maintenanceScheduledFor)
    const unknown = updates.find(([projectId]) => !api.plane.project(projectId))
    if (unknown) throw new ApiError(404, `maintenanceScheduledFor: project not found: ${unknown[0]}`)
    const next = changedBehaviour(api.switches.behaviour(), changes)
    api.applyDue() // what is due already follows the behaviour before the change
    api.switches.change(next)
    for (const [projectId, time] of updates) {
      const scheduledFor = time === null ? undefined : Date.parse(time)
      api.plane.request(projectId, { kind: 'announce-update', scheduledFor })
    }
    api.applyDue()
    return call.json(next)
  })
}

function requireThisMachine(call: Call, { addressOf }: Api): void {
  const address = addressOf(call)
  const host = call.req.header('host') ?? ''
  if (!LOOPBACK.test(address) || !OWN_NAME.test(host))
    throw new ApiError(403, 'only for programs on this machine, under its own name')
}
