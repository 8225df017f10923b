// Paths of this machine only, without a key: `/_truth` tells exact use, `/_requests` what clients asked for, `/_control`
// shows and sets the switches.
import type { Hono } from 'hono'
import { DEFAULT_BEHAVIOUR } from '../../control/behaviour.ts'
import { changedBehaviour } from '../../engine/behaviour-switches.ts'
import { behaviourBody } from '../wire/behaviour-body.ts'
import type { Api, Call, Env } from '../context.ts'
import { errorAnswer } from '../errors.ts'
import { bodyOf } from '../input.ts'
import type { RequestCounter } from '../request-counter.ts'

/** These paths are ours: no switch changes how they answer. */
const PLAIN = { settings: () => DEFAULT_BEHAVIOUR }

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/

/** Names of this machine. Another name that leads here belongs to a page that was made to (DNS rebinding). */
const OWN_NAME = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i

export function localOnlyRoutes(app: Hono<Env>, api: Api, counter: RequestCounter): void {
  app.use('/_*', async (call, next) => foreign(call, api) ?? next())

  app.get('/_truth', (call) => {
    const text = call.req.query('at')
    const at = text === undefined ? api.clock.now() : Date.parse(text)
    if (Number.isNaN(at)) return errorAnswer(call, 400, `at: expected an ISO 8601 instant, got ${text}`)
    return call.json(api.truth(at))
  })

  app.get('/_requests', (call) => call.json(counter.tally()))

  app.get('/_control', (call) => call.json(api.switches.behaviour()))

  app.patch('/_control', async (call) => {
    const body = await bodyOf(call, behaviourBody, PLAIN)
    if (!body.ok) return body.answer
    const next = changedBehaviour(api.switches.behaviour(), body.value)
    api.look() // what was due before happens as it was set before
    api.switches.change(next)
    api.look()
    return call.json(next)
  })
}

/** The answer to who may not be here; undefined for programs of this machine. */
function foreign(call: Call, { addressOf }: Api): Response | undefined {
  const address = addressOf(call)
  const host = call.req.header('host') ?? ''
  if (LOOPBACK.test(address) && OWN_NAME.test(host)) return undefined
  return errorAnswer(call, 403, 'only for programs on this machine, under its own name')
}
