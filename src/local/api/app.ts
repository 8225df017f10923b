import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { branchRoutes } from './routes/branches.ts'
import { connectionUriRoutes } from './routes/connection-uri.ts'
import { consumptionRoutes } from './routes/consumption.ts'
import type { Api, Call, Env } from './context.ts'
import { databaseRoutes } from './routes/databases.ts'
import { endpointRoutes } from './routes/endpoints.ts'
import { errorAnswer } from './errors.ts'
import { injectFaults } from './faults.ts'
import { interfaceOnly } from './interface-only.ts'
import { keyRoutes } from './routes/keys.ts'
import { localOnlyRoutes } from './routes/local-only.ts'
import { operationRoutes } from './routes/operations.ts'
import { projectCreateRoute } from './routes/project-create.ts'
import { projectRoutes } from './routes/projects.ts'
import { roleRoutes } from './routes/roles.ts'
import { createRequestCounter, routePattern } from './request-counter.ts'
import { userRoutes } from './routes/users.ts'

/** The largest body, bytes. The largest sensible one, with every Postgres setting, stays below half of it. */
const LARGEST_BODY = 65_536

/** The API as an HTTP server that does not listen yet. `close` also ends its connections. */
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

/** `/api/v2` with bearer keys, and the paths of this machine beside it without keys. */
export function createApp(api: Api): Hono<Env> {
  const app = new Hono<Env>()
  const counter = createRequestCounter()
  app.use(async (call, next) => {
    const given = call.req.header('x-request-id')
    const requestId = given !== undefined && /^[\x21-\x7e]{1,200}$/.test(given) ? given : api.random.uuid()
    call.set('requestId', requestId)
    call.header('x-request-id', requestId)
    await next()
    // its own clock may be another than the machine's, and what it writes must agree with itself
    call.res.headers.set('date', new Date(api.clock.now()).toUTCString())
  })
  app.onError((err, call) => {
    api.log({ kind: 'problem', message: 'a request could not be served', err })
    return errorAnswer(call, 500, 'internal error')
  })
  app.notFound((call) => errorAnswer(call, 404, `no such route: ${call.req.method} ${call.req.path}`))
  localOnlyRoutes(app, api, counter)
  app.use('/api/v2/*', async (call, next) => {
    await next()
    counter.count(routePattern(call.req.method, call.req.path), call.res.status)
  })
  app.route('/api/v2', routes(api))
  return app
}

function routes(api: Api): Hono<Env> {
  const undisturbed = new Hono<Env>().route('/api/v2', resources(api))
  const app = new Hono<Env>()
  app.use(async (call, next) => {
    if (!isAuthorized(call, api))
      return errorAnswer(call, 401, 'this call needs a valid API key: Authorization: Bearer <key>')
    if (!takesJson(call)) return errorAnswer(call, 406, 'accept: only application/json is served')
    return next()
  })
  app.use(injectFaults(api, undisturbed))
  app.use(interfaceOnly(api))
  app.use(
    bodyLimit({
      maxSize: LARGEST_BODY,
      onError: (call) => errorAnswer(call, 413, `the body is larger than ${LARGEST_BODY} bytes`),
    }),
  )
  app.route('/', resources(api))
  return app
}

function resources(api: Api): Hono<Env> {
  const app = new Hono<Env>()
  keyRoutes(app, api)
  projectRoutes(app, api)
  projectCreateRoute(app, api)
  branchRoutes(app, api)
  databaseRoutes(app, api)
  roleRoutes(app, api)
  endpointRoutes(app, api)
  operationRoutes(app, api)
  connectionUriRoutes(app, api)
  consumptionRoutes(app, api)
  userRoutes(app, api)
  return app
}

function isAuthorized(call: Call, { keys, clock, addressOf }: Api): boolean {
  const value = /^Bearer +(\S+)$/i.exec(call.req.header('authorization') ?? '')?.[1]
  if (value === undefined) return false
  return keys.use(value, addressOf(call), clock.now()) !== undefined
}

const takesJson = (call: Call): boolean => {
  const accepted = call.req.header('accept')
  return accepted === undefined || /\*\/\*|application\/(?:json|\*)/.test(accepted)
}
