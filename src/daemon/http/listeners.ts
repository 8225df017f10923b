// Both listeners, without a shared route: telemetry for Prometheus and the orchestrator, the API for people and scripts.
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { Config } from '../../config/load.ts'
import type { ServerConfig, TlsFiles } from '../../config/sections/server.ts'
import { isLoopback } from '../../config/units.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import type { HttpListenerName } from '../../outputs/metrics/self.ts'
import type { DaemonEnvironment } from '../environment.ts'
import type { Failures } from './answers.ts'
import { createApiApp, type ApiSources } from './app.ts'
import { authMiddleware, checkOrigin, checkToken } from './auth.ts'
import { createFailedLogins, parseTokens, type AuthPolicy } from './auth.ts'
import { createConnectionGuard } from './connections.ts'
import { listenHttp, readCertificatePair, urlOf, type CertificatePair, type HttpListener } from './listen.ts'
import { telemetryApp, type Telemetry } from './telemetry.ts'

type Outputs = Readonly<{ telemetry: Omit<Telemetry, 'counted' | 'checks'>; api: Omit<ApiSources, 'before'> }>
type Environment = Pick<DaemonEnvironment, 'clock' | 'self' | 'log'>

/** @param config addresses as of the start; tokens and names as of each request @throws when an address is taken or a certificate cannot be used */
export async function openListeners(config: () => Config, outputs: Outputs, environment: Environment) {
  await using stack = new AsyncDisposableStack()
  const { server } = config()
  const { log } = environment
  const counted = recordRequests(environment)
  const shared = {
    attempts: createFailedLogins(environment.clock),
    addressOf: (context: Context) => getConnInfo(context).remote.address ?? '',
  }
  const pair = server.tls && readCertificatePair(server.tls)
  const open = async (name: HttpListenerName, app: Hono, tls: CertificatePair | undefined) => {
    const setting = `server.${name}`
    const { connections, watch } = limitedConnections(name, environment)
    stack.use(watch)
    const failed: Failures = (err, route) => log.error({ err, listener: setting, route }, 'a request failed')
    const listener = await listenHttp(app, server[name], { setting, pair: tls, connections, failed })
    stack.use(listener)
    return listener
  }
  const metricsAuth = { ...shared, policy: currentPolicy(config, telemetryPolicyOf) }
  const checks = { origin: checkOrigin(metricsAuth), token: checkToken(metricsAuth) }
  const apiAuth = authMiddleware({ ...shared, policy: currentPolicy(config, apiPolicyOf) })
  const telemetryPair = server.telemetryAuth.tls ? pair : undefined
  const telemetry = await open(
    'telemetry',
    telemetryApp({ ...outputs.telemetry, counted, checks }),
    telemetryPair,
  )
  const api = await open('api', createApiApp({ ...outputs.api, before: [counted, ...apiAuth] }), pair)
  if (server.tls && pair)
    stack.use(renewCertificate(server.tls, { listeners: [telemetry, api], pair }, environment))
  const opened = stack.move()
  return {
    telemetryUrl: urlOf(telemetry.address, telemetryPair ? 'https' : 'http'),
    apiUrl: urlOf(api.address, pair ? 'https' : 'http'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Between two looks at the connections: the deadlines of Node are as exact. */
const WATCH_INTERVAL = seconds(5)
/** Between two lines of the log about one listener, s. */
const LOG_INTERVAL = 60

function limitedConnections(listener: HttpListenerName, { clock, self, log }: Environment) {
  let [count, loggedAt] = [0, Number.NEGATIVE_INFINITY]
  const connections = createConnectionGuard({
    limited: (limit) => {
      count += 1
      self.connectionRefused(listener, limit)
    },
    refused: (status) => self.answered({ route: 'none', code: String(status), seconds: 0 }),
    // exports may be of any length, telemetry is not
    deadlineOf: listener === 'telemetry' ? 'answer' : 'piece',
  })
  const watch = everyInterval(WATCH_INTERVAL, clock, () => {
    const now = clock.monotonic()
    connections.cutUnread(now)
    if (count === 0 || now - loggedAt < LOG_INTERVAL) return
    log.warn(
      { listener: `server.${listener}`, connections: count },
      'connections beyond a limit were refused',
    )
    ;[count, loggedAt] = [0, now]
  })
  return { connections, watch }
}

/** By the pattern of the route: paths hold any number of names. */
export const recordRequests =
  ({ self, clock }: Pick<Environment, 'self' | 'clock'>): MiddlewareHandler =>
  async (context, next) => {
    const startedAt = clock.monotonic()
    await next()
    // where the path has no route of its own, the last that ran is for all paths
    const route = routePath(context)
    const took = clock.monotonic() - startedAt
    self.answered({ route: route === '/*' ? 'none' : route, code: String(context.res.status), seconds: took })
  }

/** Computed once per configuration: every request needs it. */
function currentPolicy(config: () => Config, policyOf: (server: ServerConfig) => AuthPolicy) {
  const policies = new WeakMap<ServerConfig, AuthPolicy>()
  return () => {
    const { server } = config()
    const policy = policies.get(server) ?? policyOf(server)
    policies.set(server, policy)
    return policy
  }
}

/** Without tokens, an API beyond loopback is open only where the configuration says so. */
export function apiPolicyOf(server: ServerConfig): AuthPolicy {
  const { api, insecure } = server
  const tokens = parseTokens(server.tokens).filter(({ scope }) => scope !== 'metrics')
  const needsToken = !server.open || tokens.some(({ scope }) => scope === 'read')
  const isPublic = isLoopback(api) || (insecure && tokens.length === 0)
  return { names: hostNames(server, api), allowsAddresses: false, tokens, open: isPublic && !needsToken }
}

export const telemetryPolicyOf = (server: ServerConfig): AuthPolicy => ({
  names: hostNames(server, server.telemetry),
  allowsAddresses: true,
  tokens: parseTokens(server.tokens).filter(({ scope }) => scope === 'metrics'),
  open: !server.telemetryAuth.token,
})

const hostNames = ({ names }: ServerConfig, { host }: ServerConfig['api']) =>
  [...names, host.includes(':') ? `[${host}]` : host].map((name) => name.toLowerCase())

/** Between two reads of the certificate files. */
const RENEWAL_INTERVAL = seconds(30)

/** Uses each new pair as soon as its two files fit together. */
function renewCertificate(
  files: TlsFiles,
  { listeners, ...first }: Readonly<{ listeners: readonly HttpListener[]; pair: CertificatePair }>,
  { clock, log }: Environment,
): AsyncDisposable {
  let { pair } = first
  let isFailing = false
  const renewOnce = () => {
    try {
      const next = readCertificatePair(files)
      isFailing = false
      if (next.cert === pair.cert && next.key === pair.key) return
      for (const listener of listeners) listener.renew(next)
      pair = next
      log.info('the certificate of server.tls was renewed')
    } catch (err) {
      if (!isFailing)
        log.error({ err }, 'the certificate of server.tls cannot be renewed, the one before stays')
      isFailing = true
    }
  }
  return everyInterval(RENEWAL_INTERVAL, clock, renewOnce)
}

/** Until disposed of; the first run is one interval from now. */
function everyInterval(interval: Seconds, clock: Clock, run: () => void): AsyncDisposable {
  const stop = new AbortController()
  const loop = async () => {
    while (!stop.signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- one run after the other
      await clock.sleep(interval, stop.signal)
      if (!stop.signal.aborted) run()
    }
  }
  const running = loop()
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
    },
  }
}
