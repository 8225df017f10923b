// Both listeners, without a shared route: telemetry for Prometheus and the orchestrator, the API for people and scripts.
import { getConnInfo } from '@hono/node-server/conninfo'
import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { Config } from '../../config/load.ts'
import type { TlsFiles } from '../../config/sections/server.ts'
import { isLoopback } from '../../config/units.ts'
import { seconds } from '../../model/units.ts'
import type { DaemonEnvironment } from '../environment.ts'
import { createApiApp, type ApiSources } from './app.ts'
import { authMiddleware, type AuthPolicy, createFailedLogins, parseTokens } from './auth.ts'
import { listenHttp, readCertificatePair, urlOf, type CertificatePair, type HttpListener } from './listen.ts'
import { telemetryApp, type Telemetry } from './telemetry.ts'

type Outputs = Readonly<{ telemetry: Omit<Telemetry, 'counted'>; api: Omit<ApiSources, 'before'> }>
type Environment = Pick<DaemonEnvironment, 'clock' | 'self' | 'log'>

/** @param config addresses as of the start; tokens and names as of each request @throws when an address is taken or a certificate cannot be used */
export async function openListeners(config: () => Config, outputs: Outputs, environment: Environment) {
  await using stack = new AsyncDisposableStack()
  const { server } = config()
  const counted = recordRequests(environment)
  const telemetryRoutes = telemetryApp({ ...outputs.telemetry, counted })
  const telemetry = await listenHttp(telemetryRoutes, server.telemetry, { setting: 'server.telemetry' })
  stack.use(telemetry)
  const auth = authMiddleware({
    policy: currentAuthPolicy(config),
    attempts: createFailedLogins(environment.clock),
    addressOf: (context) => getConnInfo(context).remote.address ?? '',
  })
  const pair = server.tls && readCertificatePair(server.tls)
  const apiRoutes = createApiApp({ ...outputs.api, before: [counted, ...auth] })
  const api = await listenHttp(apiRoutes, server.api, { setting: 'server.api', pair })
  stack.use(api)
  if (server.tls && pair) stack.use(renewCertificate(server.tls, { api, pair }, environment))
  const open = stack.move()
  return {
    telemetryUrl: urlOf(telemetry.address),
    apiUrl: urlOf(api.address, pair ? 'https' : 'http'),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** By the pattern of the route: paths hold any number of names. */
export const recordRequests =
  ({ self, clock }: Pick<Environment, 'self' | 'clock'>): MiddlewareHandler =>
  async (context, next) => {
    const startedAt = clock.monotonic()
    await next()
    // a path without a route of its own matches only the middleware of all paths
    const route = routePath(context, -1)
    const took = clock.monotonic() - startedAt
    self.answered({ route: route === '/*' ? 'none' : route, code: String(context.res.status), seconds: took })
  }

/** Computed once per configuration: every request needs it. */
function currentAuthPolicy(config: () => Config): () => AuthPolicy {
  const policies = new WeakMap<Config['server'], AuthPolicy>()
  return () => {
    const { server } = config()
    const policy = policies.get(server) ?? authPolicyOf(server)
    policies.set(server, policy)
    return policy
  }
}

/** Without tokens, an API beyond loopback is open only where the configuration says so. */
export const authPolicyOf = ({ api, names, tokens, insecure }: Config['server']): AuthPolicy => ({
  names: [...names, api.host.includes(':') ? `[${api.host}]` : api.host].map((name) => name.toLowerCase()),
  tokens: parseTokens(tokens),
  open: isLoopback(api) || (insecure && Object.keys(tokens).length === 0),
})

/** Between two reads of the certificate files. */
const RENEWAL_INTERVAL = seconds(30)

/** Uses each new pair as soon as its two files fit together. */
function renewCertificate(
  files: TlsFiles,
  listener: Readonly<{ api: HttpListener; pair: CertificatePair }>,
  { clock, log }: Environment,
): AsyncDisposable {
  const stop = new AbortController()
  let { pair } = listener
  let isFailing = false
  const renewOnce = () => {
    try {
      const next = readCertificatePair(files)
      isFailing = false
      if (next.cert === pair.cert && next.key === pair.key) return
      listener.api.renew(next)
      pair = next
      log.info('the certificate of the API was renewed')
    } catch (err) {
      if (!isFailing) log.error({ err }, 'the certificate of the API cannot be renewed, the one before stays')
      isFailing = true
    }
  }
  const watch = async () => {
    while (!stop.signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- one read after the other
      await clock.sleep(RENEWAL_INTERVAL, stop.signal)
      if (!stop.signal.aborted) renewOnce()
    }
  }
  const watching = watch()
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await watching
    },
  }
}
