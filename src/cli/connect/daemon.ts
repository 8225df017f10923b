import { resolve } from 'node:path'
import { Option, type Command } from 'commander'
import { request } from '../../std/http-client.ts'
import type { FleetJson } from '../../daemon/http/api/status-json.ts'
import type { Config } from '../../config/load.ts'
import { createKey } from '../../config/secrets.ts'
import { addressText } from '../../config/units.ts'
import { fieldOf } from '../../std/field.ts'
import { isBeforeSending } from '../../service/http/request.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { isUnencrypted } from '../../std/unencrypted.ts'
import { cutText, sanitize } from '../../std/sanitize.ts'
import { CONFIG_TEXT, readConfiguration } from './configuration.ts'
import { errorReason, failText, failUsage, type ExitCode, type Io } from '../terminal/io.ts'

export type ApiProblem = Readonly<{
  kind: 'unreached' | 'refused'
  message: string
  /** HTTP status of an answer without success. */
  status?: number
}>
type Body = Awaited<ReturnType<typeof request>>['body']

/** Milliseconds without a byte: people wait for it. */
const DEFAULT_TIMEOUT = 5000

export type DaemonApi = Readonly<{ url: string; token?: string | undefined }>

export type ApiOptions = Readonly<{
  url?: string
  tokenFile?: string
  insecure?: boolean
  config?: string
  json?: boolean
}>

const VARIABLE = 'DORMOUSE_TOKEN'

export const withApiOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--url <url>', "address of the daemon's API (default: that of the configuration)").conflicts(
        'config',
      ),
    )
    .option('--token-file <file>', `file with a token of the API (default: the variable ${VARIABLE}, if set)`)
    .option('--insecure', 'allow http for --url outside of loopback')
    .option('--config <file>', CONFIG_TEXT)

/** With the configuration that the address is from. */
export type ApiTarget = Readonly<{ api: DaemonApi; config?: Config }>

/** The API of `--url`, else of the configuration, which then comes with it. */
export function daemonApi(
  { url, config: file, tokenFile, insecure = false }: ApiOptions,
  io: Io,
): Result<ApiTarget, readonly string[]> {
  const problem = url === undefined ? undefined : urlProblem(url, insecure)
  if (problem !== undefined) return failed([`--url: ${problem}`])
  const token = readToken(tokenFile && resolve(io.cwd, tokenFile), io)
  if (!token.ok) return failed([token.error])
  if (url !== undefined) return ok({ api: { url, token: token.value } })
  // only the daemon needs the keys of the service
  const loaded = readConfiguration(file, io, { checksSecrets: false })
  if (!loaded.ok) return loaded
  const { api, tls } = loaded.value.config.server
  const apiUrl = `${tls ? 'https' : 'http'}://${addressText(api)}`
  return ok({ api: { url: apiUrl, token: token.value }, config: loaded.value.config })
}

/** Problem without the address: people put passwords there. */
function urlProblem(text: string, insecure: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return 'expected an http or https address such as http://127.0.0.1:9478'
  if (url.username || url.password)
    return `expected no name or password: a token comes from --token-file or the variable ${VARIABLE}`
  return isUnencrypted(text) && !insecure
    ? 'expected https, as the host is not loopback, or --insecure'
    : undefined
}

/** Undefined if none is given, which is enough on loopback. */
function readToken(file: string | undefined, io: Io): Result<string | undefined, string> {
  if (file !== undefined) return createKey('--token-file', { file }, io).read()
  return io.env[VARIABLE] === undefined
    ? ok(undefined)
    : createKey(VARIABLE, { variable: VARIABLE }, io).read()
}

type RequestOptions = Readonly<{
  signal?: AbortSignal
  /** Milliseconds without a byte. */
  timeout?: number
  method?: 'GET' | 'POST' | 'DELETE'
  /** JSON. */
  body?: string | null
}>

/** @param path begins with a slash */
export async function askDaemon(
  { url: apiUrl, token }: DaemonApi,
  path: string,
  { signal, timeout = DEFAULT_TIMEOUT, method = 'GET', body: sent = null }: RequestOptions = {},
): Promise<Result<Body, ApiProblem>> {
  try {
    const { statusCode, body } = await request(`${apiUrl.replace(/\/+$/, '')}${path}`, {
      method,
      headers: headersOf(token, sent),
      body: sent,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      ...(signal && { signal }),
    })
    if (statusCode >= 200 && statusCode < 300) return ok(body)
    const message = messageIn(await body.text(), `${apiUrl} answers ${statusCode}`)
    return failed({ kind: 'refused', message, status: statusCode })
  } catch (cause) {
    return failed({ kind: 'unreached', message: lostText(apiUrl, method, cause) })
  }
}

function lostText(apiUrl: string, method: string, cause: unknown): string {
  const reason = errorReason(cause)
  return method === 'GET' || isBeforeSending(cause)
    ? `no daemon answers at ${apiUrl} (${reason})`
    : `${apiUrl} took the request and gave no answer (${reason}): it may have been carried out, so look before you repeat it`
}

const headersOf = (token: string | undefined, sent: string | null) => ({
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
  ...(sent !== null && { 'content-type': 'application/json' }),
})

/**
 * Exit code of a question that was not answered. A refusal for what was asked is wrong usage: another name, value, time, address, token or
 * configuration is needed. Asking too late (408) or too often (429) is not.
 */
export function failAnswer(io: Io, { message, status = 0 }: ApiProblem, options?: OptionNames): ExitCode {
  const isUsage = status >= 400 && status < 500 && status !== 408 && status !== 429
  return isUsage ? failUsage(io, namedByOptions(message, options)) : failText(io, message)
}

/** Field of the API → what sets it on the command line. */
export type OptionNames = Readonly<Record<string, string>>

/** Names that most commands share. */
const SET_BY: OptionNames = {
  match: 'selector',
  cu: '--cu',
  min_cu: '--min-cu',
  max_cu: '--max-cu',
  delay_seconds: '--delay',
  plan_hash: '--plan-hash',
  ...Object.fromEntries(
    ['account', 'all', 'reason', 'restart', 'team', 'until', 'week', 'when'].map((name) => [
      name,
      `--${name}`,
    ]),
  ),
}

/** Problems of a request, which begin with a field of the API, in the words of the command line. @param options those of one command */
export const namedByOptions = (problems: string, options: OptionNames = {}): string =>
  problems.replaceAll(/(?<=^|; )\w+(?=: )/g, (field) => options[field] ?? SET_BY[field] ?? field)

export const refused = (message: string): Result<never, ApiProblem> => failed({ kind: 'refused', message })

export async function answerJson(answer: Result<Body, ApiProblem>): Promise<Result<unknown, ApiProblem>> {
  if (!answer.ok) return answer
  try {
    return ok(await answer.value.json())
  } catch (cause) {
    const reason = errorReason(cause)
    return cause instanceof SyntaxError
      ? refused(`the answer is not from the API of Dormouse (${reason})`)
      : failed({ kind: 'unreached', message: `the answer broke off (${reason})` })
  }
}

type JsonOptions<Value> = Readonly<{
  /** Tells Dormouse from another program. */
  isExpected: (body: unknown) => body is Value
  signal?: AbortSignal
  /** Milliseconds without a byte. */
  timeout?: number
}>

export async function readJson<Value>(
  api: DaemonApi,
  path: string,
  { isExpected, ...options }: JsonOptions<Value>,
): Promise<Result<Value, ApiProblem>> {
  const answer = await answerJson(await askDaemon(api, path, options))
  if (!answer.ok) return answer
  return isExpected(answer.value) ? ok(answer.value) : refused(`${api.url} is not the API of Dormouse`)
}

export const readFleet = (api: DaemonApi): Promise<Result<FleetJson, ApiProblem>> =>
  readJson(api, '/api/v1/computes', { isExpected: isFleet })

const isFleet = (body: unknown): body is FleetJson =>
  fieldOf(body, 'taken_at') !== undefined && Array.isArray(fieldOf(body, 'computes'))

/** The beginning of the answer where another program answered. */
function messageIn(text: string, otherwise: string) {
  try {
    const message = fieldOf(JSON.parse(text), 'message')
    if (typeof message === 'string') return sanitize(message)
  } catch {
    // no JSON: another program answered
  }
  return `${otherwise}: ${sanitize(cutText(text, 200))}`
}
