import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { branchRoutes } from './routes/branches.ts'
import { connectionUriRoutes } from './routes/connection-uri.ts'
import { consumptionRoutes } from './routes/consumption.ts'
import type { Api, Call, Env } from './context.ts'
import { databaseRoutes, roleRoutes } from './routes/catalogue.ts'
import { endpointRoutes } from './routes/endpoints.ts'
import { ApiError, errorAnswer } from './errors.ts'
import { injectFaults } from './faults.ts'
import { interfaceOnly } from './interface-only.ts'
import { keyRoutes, userRoutes } from './routes/account.ts'
import { withLateMutations } from './late-mutations.ts'
import { localOnlyRoutes } from './routes/local-only.ts'
import { operationRoutes } from './routes/operations.ts'
import { projectRoutes } from './routes/projects.ts'
import { createRequestCounter, routePattern } from './request-counter.ts'

/** Largest body of a request, bytes: twice one with every Postgres setting. */
const MAX_BODY = 65_536

/** An HTTP server that does not listen yet. `close` also ends its connections. */
export function createHttp(api: Api) {
  const server = createAdaptorServer({ fetch: createApp(api).fetch })
  return {
    server,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      }),
  }
}

/** `/api/v2` with bearer keys, and paths for this machine without. */
export function createApp(api: Api): Hono<Env> {
  const app = new Hono<Env>()
  const counter = createRequestCounter()
  app.use(async (call, next) => {
    const fromClient = call.req.header('x-request-id') ?? ''
    const requestId = /^[\x21-\x7e]{1,200}$/.test(fromClient) ? fromClient : api.random.uuid()
    call.set('requestId', requestId)
    call.header('x-request-id', requestId)
    await next()
    // the service's clock may differ from the system's; the header must agree with the body
    call.res.headers.set('date', new Date(api.clock.now()).toUTCString())
  })
  app.onError(answerErrors(api))
  app.notFound((call) => errorAnswer(call, 404, `no such route: ${call.req.method} ${call.req.path}`))
  localOnlyRoutes(app, api, counter)
  app.use('/api/v2/*', async (call, next) => {
    await next()
    counter.count(routePattern(call.req.method, call.req.path), call.res.status)
  })
  app.route('/api/v2', routes(api))
  return app
}

/** Answers refused requests; other errors are bugs: logged, status 500. */
const answerErrors = (api: Api) => (error: Error, call: Call) => {
  if (error instanceof ApiError) return errorAnswer(call, error.status, error.message)
  api.log({ kind: 'problem', message: 'a request could not be served', err: error })
  return errorAnswer(call, 500, 'internal error')
}

function routes(api: Api): Hono<Env> {
  const late = new Hono<Env>().route('/api/v2', resources(withLateMutations(api)))
  late.onError(answerErrors(api))
  const app = new Hono<Env>()
  app.use(async (call, next) => {
    requireKey(call, api)
    requireJsonAccepted(call)
    return next()
  })
  app.use(injectFaults(api, late))
  app.use(interfaceOnly(api))
  const tooLarge = `the body is larger than ${MAX_BODY} bytes`
  const onError = async (call: Call) => {
    await drop(call.req.raw)
    return errorAnswer(call, 413, tooLarge)
  }
  app.use(bodyLimit({ maxSize: MAX_BODY, onError }))
  app.route('/', resources(api))
  return app
}

/** Reads the body of a refused request: with one half read the connection would be closed, and the next request of the client fail. */
async function drop({ body }: Request): Promise<void> {
  try {
    if (body) await body.pipeTo(new WritableStream())
  } catch {
    // the client has gone: nobody waits for the answer
  }
}

const RESOURCES = [
  keyRoutes,
  projectRoutes,
  branchRoutes,
  databaseRoutes,
  roleRoutes,
  endpointRoutes,
  operationRoutes,
  connectionUriRoutes,
  consumptionRoutes,
  userRoutes,
]

function resources(api: Api): Hono<Env> {
  const app = new Hono<Env>()
  for (const addRoutes of RESOURCES) addRoutes(app, api)
  return app
}

function requireKey(call: Call, { keys, clock, addressOf }: Api): void {
  const value = /^Bearer +(\S+)$/i.exec(call.req.header('authorization') ?? '')?.[1]
  if (value === undefined || !keys.use(value, addressOf(call), clock.now()))
    throw new ApiError(401, 'this call needs a valid API key: Authorization: Bearer <key>')
}

function requireJsonAccepted(call: Call): void {
  const isAccepted = /\*\/\*|application\/(?:json|\*)/i.test(call.req.header('accept') ?? '*/*')
  if (!isAccepted) throw new ApiError(406, 'accept: only application/json is served')
}
