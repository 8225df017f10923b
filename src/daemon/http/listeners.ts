// Both listeners: telemetry for Prometheus and the orchestrator, the API for people and scripts. They share no route.
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Logger } from 'pino'
import type { Config } from '../../config/load.ts'
import type { TlsFiles } from '../../config/sections/server.ts'
import { isLoopback } from '../../config/units.ts'
import type { SelfMetrics } from '../../outputs/metrics/self.ts'
import type { Clock } from '../../model/ports.ts'
import { seconds } from '../../model/units.ts'
import { countAnswers } from './request-metrics.ts'
import { apiApp, type Api } from './app.ts'
import { guard, type Guarded } from './auth.ts'
import { createAttempts, tokensOf } from './tokens.ts'
import { isSame, readPair, type Pair } from './certificate.ts'
import { listen, urlOf, type Listener } from './listen.ts'
import { telemetryApp, type Telemetry } from './telemetry.ts'

export type Listeners = AsyncDisposable & { readonly telemetryUrl: string; readonly apiUrl: string }

type Outputs = {
  readonly telemetry: Omit<Telemetry, 'counted'>
  readonly api: Omit<Api, 'before'>
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
  const counted = countAnswers(machine)
  const telemetry = await listen(telemetryApp({ ...outputs.telemetry, counted }), server.telemetry, {
    setting: 'server.telemetry',
  })
  stack.use(telemetry)
  const attempts = createAttempts(machine.clock)
  const before = [
    counted,
    ...guard({
      guarded: guardedNow(config),
      attempts,
      addressOf: (context) => getConnInfo(context).remote.address ?? '',
    }),
  ]
  const pair = server.tls && readPair(server.tls)
  const api = await listen(apiApp({ ...outputs.api, before }), server.api, { setting: 'server.api', pair })
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
function guardedNow(config: () => Config): () => Guarded {
  let server = config().server
  let guarded = guardedBy(server)
  return () => {
    const now = config().server
    if (now !== server) guarded = guardedBy(now)
    server = now
    return guarded
  }
}

/** Who may ask what. Without tokens an API that may be reached from elsewhere is as open as it was said to be. */
export const guardedBy = ({ api, names, tokens, insecure }: Config['server']): Guarded => ({
  names: [...names, api.host.includes(':') ? `[${api.host}]` : api.host].map((name) => name.toLowerCase()),
  tokens: tokensOf(tokens),
  open: isLoopback(api) || (insecure && Object.keys(tokens).length === 0),
})

/** Between two looks at the files. Doubled, an expired certificate is shown for half a minute longer. */
const RENEWAL = seconds(30)

/** Shows each new pair once both of its files fit. */
function renewing(
  files: TlsFiles,
  { api, clock, log, ...first }: Machine & { readonly api: Listener; readonly pair: Pair },
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
        const next = readPair(files)
        failing = false
        if (isSame(next, pair)) continue
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
