// Both listeners: telemetry for Prometheus and the orchestrator, the API for people and scripts. They share no route.
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Logger } from 'pino'
import type { Config } from '../../config/load.ts'
import type { TlsFiles } from '../../config/sections/server.ts'
import { isLoopback } from '../../config/units.ts'
import type { SelfMetrics } from '../../outputs/metrics/self.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { seconds } from '../../model/units.ts'
import { recordRequests } from './request-metrics.ts'
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

type Machine = { readonly clock: Clock; readonly self: SelfMetrics; readonly log: Logger }

/**
 * @param config where to listen, and who may ask as it is when somebody does
 * @throws when an address is taken or a certificate cannot be used
 */
export async function openListeners(
  config: () => Config,
  outputs: Outputs,
  machine: Machine,
): Promise<Listeners> {
  await using stack = new AsyncDisposableStack()
  const { server } = config()
  const counted = recordRequests(machine)
  const telemetry = await listenHttp(telemetryApp({ ...outputs.telemetry, counted }), server.telemetry, {
    setting: 'server.telemetry',
  })
  stack.use(telemetry)
  const attempts = createFailedLogins(machine.clock)
  const before = [
    counted,
    ...authMiddleware({
      guarded: guardedNow(config),
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
  if (server.tls && pair) stack.use(renewing(server.tls, { ...machine, api, pair }))
  const open = stack.move()
  return {
    telemetryUrl: urlOf(telemetry.address),
    apiUrl: urlOf(api.address, pair ? 'https' : 'http'),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Worked out once for each configuration: every request asks for it. */
function guardedNow(config: () => Config): () => AuthPolicy {
  let server = config().server
  let guarded = authPolicyOf(server)
  return () => {
    const now = config().server
    if (now !== server) guarded = authPolicyOf(now)
    server = now
    return guarded
  }
}

/** Who may ask what. Without tokens an API that may be reached from elsewhere is as open as it was said to be. */
export const authPolicyOf = ({ api, names, tokens, insecure }: Config['server']): AuthPolicy => ({
  names: [...names, api.host.includes(':') ? `[${api.host}]` : api.host].map((name) => name.toLowerCase()),
  tokens: parseTokens(tokens),
  open: isLoopback(api) || (insecure && Object.keys(tokens).length === 0),
})

/** Between two looks at the files. Doubled, an expired certificate is shown for half a minute longer. */
const RENEWAL = seconds(30)

/** Shows each new pair once both of its files fit. */
function renewing(
  files: TlsFiles,
  { api, clock, log, ...first }: Machine & { readonly api: HttpListener; readonly pair: CertificatePair },
): AsyncDisposable {
  const stop = new AbortController()
  const watch = async (): Promise<void> => {
    let { pair } = first
    let failing = false
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      await clock.sleep(RENEWAL, stop.signal)
      if (stop.signal.aborted) return
      try {
        const next = readCertificatePair(files)
        failing = false
        if (isSameCertificate(next, pair)) continue
        api.renew(next)
        pair = next
        log.info('the certificate of the API was renewed')
      } catch (err) {
        if (!failing) log.error({ err }, 'the certificate of the API cannot be renewed, the one before stays')
        failing = true
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
