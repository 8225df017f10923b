// Asking the API of a running daemon.
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { request } from 'undici'
import { loadConfig, type Config } from '../../config/load.ts'
import { createKey } from '../../config/secrets.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { DEFAULT_CONFIG } from './service.ts'
import type { Io } from '../terminal/io.ts'

/** No daemon was reached, or it says why not. */
export type ApiProblem = { readonly kind: 'unreached' | 'refused'; readonly message: string }

type Body = Awaited<ReturnType<typeof request>>['body']

/** Seconds without a byte after which an answer is given up. Doubled, a daemon that hangs is noticed twice as late. */
const PATIENCE = 5000

/** Where a daemon listens, and what it is asked with. */
export type DaemonApi = { readonly url: string; readonly token?: string | undefined }

/** What commands that ask a daemon are given. */
export type ApiOptions = { readonly url?: string; readonly tokenFile?: string; readonly config?: string }

const VARIABLE = 'DORMOUSE_TOKEN'

export const withApiOptions = (command: Command): Command =>
  command
    .option('--url <url>', "address of the daemon's API (default: that of the configuration)")
    .option('--token-file <file>', `file with a token of the API (default: the variable ${VARIABLE}, if set)`)
    .option('--config <file>', `configuration file (default: ${DEFAULT_CONFIG})`)

/** Whom to ask: the address that is given, else that of the configuration, which then comes with it. */
export function daemonApi(
  options: ApiOptions,
  io: Io,
): Result<{ readonly api: DaemonApi; readonly config: Config | undefined }, readonly string[]> {
  const problem = options.url === undefined ? undefined : urlProblem(options.url)
  if (problem !== undefined) return failed([`--url: ${problem}`])
  const token = tokenOf(options, io)
  if (!token.ok) return failed([token.error])
  if (options.url !== undefined)
    return ok({ api: { url: options.url, token: token.value }, config: undefined })
  const config = loadConfig(resolve(io.cwd, options.config ?? DEFAULT_CONFIG), io.env)
  if (!config.ok) return config
  return ok({ api: { url: apiUrlOf(config.value), token: token.value }, config: config.value })
}

/** What is wrong with it; the text itself is not shown: people put passwords there. */
function urlProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return 'expected an http or https address such as http://127.0.0.1:9478'
  return url.username || url.password
    ? `expected no name or password in it: a token comes from --token-file or the variable ${VARIABLE}`
    : undefined
}

/** Undefined where none is given, which is enough on loopback. The problem is one line without it. */
function tokenOf({ tokenFile }: ApiOptions, { cwd, env }: Io): Result<string | undefined, string> {
  if (tokenFile !== undefined) return createKey({ file: resolve(cwd, tokenFile) }, env).read()
  return env[VARIABLE] === undefined ? ok(undefined) : createKey({ variable: VARIABLE }, env).read()
}

/** Where the daemon of `config` listens. */
function apiUrlOf({ server }: Config): string {
  const { host, port } = server.api
  return `${server.tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

type Asking = {
  readonly signal?: AbortSignal
  /** Milliseconds without a byte, where the answer is worked out first. */
  readonly patience?: number
  /** POST changes something. */
  readonly method?: 'GET' | 'POST'
}

/** @param path begins with a slash */
export async function askDaemon(
  { url: apiUrl, token }: DaemonApi,
  path: string,
  { signal, patience = PATIENCE, method = 'GET' }: Asking = {},
): Promise<Result<Body, ApiProblem>> {
  try {
    const { statusCode, body } = await request(`${apiUrl.replace(/\/+$/, '')}${path}`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      headersTimeout: patience,
      bodyTimeout: patience,
      ...(signal && { signal }),
    })
    if (statusCode >= 200 && statusCode < 300) return ok(body)
    return failed({
      kind: 'refused',
      message: messageIn(await body.text(), `${apiUrl} answers ${statusCode}`),
    })
  } catch (cause) {
    return failed({ kind: 'unreached', message: `no daemon answers at ${apiUrl} (${errorReason(cause)})` })
  }
}

/** The answer as the value it is in JSON. */
export async function answerJson(answer: Result<Body, ApiProblem>): Promise<Result<unknown, ApiProblem>> {
  if (!answer.ok) return answer
  try {
    return ok(await answer.value.json())
  } catch (cause) {
    return failed({
      kind: 'refused',
      message: `what answers is not the API of Dormouse (${errorReason(cause)})`,
    })
  }
}

export const errorReason = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)

/** What Dormouse says in its answer; another program's is shown in part. */
function messageIn(text: string, otherwise: string): string {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message)
  } catch {
    // no JSON: not an answer of ours
  }
  return `${otherwise}: ${text.slice(0, 200)}`
}
