// Both listeners: telemetry for Prometheus and the orchestrator, the API for people and scripts. They share no route.
import { getConnInfo } from '@hono/node-server/conninfo'
import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { Logger } from 'pino'
import type { Config } from '../../config/load.ts'
import type { TlsFiles } from '../../config/sections/server.ts'
import { isLoopback } from '../../config/units.ts'
import type { SelfMetrics } from '../../outputs/metrics/self.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { seconds } from '../../model/units.ts'
import { createApiApp, type ApiSources } from './app.ts'
import { authMiddleware, type AuthPolicy } from './auth.ts'
import { createFailedLogins, parseTokens } from './tokens.ts'
import { isSameCertificate, readCertificatePair, type CertificatePair } from './certificate.ts'
import { listenHttp, urlOf, type HttpListener } from './listen.ts'
import { telemetryApp, type Telemetry } from './telemetry.ts'

export type Listeners = AsyncDisposable & { readonly telemetryUrl: string; readonly apiUrl: string }

type Outputs = {
  readonly telemetry: Omit<Telemetry, 'counted'>
  readonly api: Omit<ApiSources, 'before'>
}

type ListenersEnvironment = { readonly clock: Clock; readonly self: SelfMetrics; readonly log: Logger }

/**
 * @param config addresses as configured at the start; tokens and names as configured at each request
 * @throws when an address is taken or a certificate cannot be used
 */
export async function openListeners(
  config: () => Config,
  outputs: Outputs,
  environment: ListenersEnvironment,
): Promise<Listeners> {
  await using stack = new AsyncDisposableStack()
  const { server } = config()
  const counted = recordRequests(environment)
  const telemetry = await listenHttp(telemetryApp({ ...outputs.telemetry, counted }), server.telemetry, {
    setting: 'server.telemetry',
  })
  stack.use(telemetry)
  const attempts = createFailedLogins(environment.clock)
  const before = [
    counted,
    ...authMiddleware({
      policy: currentAuthPolicy(config),
      attempts,
      addressOf: (context) => getConnInfo(context).remote.address ?? '',
    }),
  ]
  const pair = server.tls && readCertificatePair(server.tls)
  const api = await listenHttp(createApiApp({ ...outputs.api, before }), server.api, {
    setting: 'server.api',
    pair,
  })
  stack.use(api)
  if (server.tls && pair) stack.use(renewCertificate(server.tls, { ...environment, api, pair }))
  const open = stack.move()
  return {
    telemetryUrl: urlOf(telemetry.address),
    apiUrl: urlOf(api.address, pair ? 'https' : 'http'),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Counts answers by the pattern of the route: paths hold names, of which there are any number. */
export const recordRequests =
  ({ self, clock }: Pick<ListenersEnvironment, 'self' | 'clock'>): MiddlewareHandler =>
  async (context, next) => {
    const startedAt = clock.monotonic()
    await next()
    // A path without a route of its own matches only the middleware of all paths.
    const route = routePath(context, -1)
    self.answered({
      route: route === '/*' ? 'none' : route,
      code: String(context.res.status),
      seconds: clock.monotonic() - startedAt,
    })
  }

/** The policy of the current configuration, computed once for each, as every request needs it. */
function currentAuthPolicy(config: () => Config): () => AuthPolicy {
  let server = config().server
  let policy = authPolicyOf(server)
  return () => {
    const next = config().server
    if (next !== server) policy = authPolicyOf(next)
    server = next
    return policy
  }
}

/** Without tokens an API on another address than loopback is open only where the configuration says so. */
export const authPolicyOf = ({ api, names, tokens, insecure }: Config['server']): AuthPolicy => ({
  names: [...names, api.host.includes(':') ? `[${api.host}]` : api.host].map((name) => name.toLowerCase()),
  tokens: parseTokens(tokens),
  open: isLoopback(api) || (insecure && Object.keys(tokens).length === 0),
})

/** Interval at which the certificate files are read. */
const RENEWAL_INTERVAL = seconds(30)

/** Uses each new pair as soon as its two files fit together. */
function renewCertificate(
  files: TlsFiles,
  {
    api,
    clock,
    log,
    ...first
  }: ListenersEnvironment & { readonly api: HttpListener; readonly pair: CertificatePair },
): AsyncDisposable {
  const stop = new AbortController()
  const watch = async (): Promise<void> => {
    let { pair } = first
    let isFailing = false
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one read after the other
      await clock.sleep(RENEWAL_INTERVAL, stop.signal)
      if (stop.signal.aborted) return
      try {
        const next = readCertificatePair(files)
        isFailing = false
        if (isSameCertificate(next, pair)) continue
        api.renew(next)
        pair = next
        log.info('the certificate of the API was renewed')
      } catch (err) {
        if (!isFailing)
          log.error({ err }, 'the certificate of the API cannot be renewed, the one before stays')
        isFailing = true
      }
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
