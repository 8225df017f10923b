// Asking the API of a running daemon.
import { request } from 'undici'
import type { Config } from '../config/load.ts'
import { failed, ok, type Result } from '../model/result.ts'

/** No daemon was reached, or it says why not. */
export type ApiProblem = { readonly kind: 'unreached' | 'refused'; readonly message: string }

type Body = Awaited<ReturnType<typeof request>>['body']

/** Seconds without a byte after which an answer is given up. Doubled, a daemon that hangs is noticed twice as late. */
const PATIENCE = 5000

/** Where the daemon of `config` listens. */
export function apiUrlOf({ server }: Config): string {
  const { host, port } = server.api
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** @param path begins with a slash */
export async function askDaemon(
  apiUrl: string,
  path: string,
  signal?: AbortSignal,
): Promise<Result<Body, ApiProblem>> {
  try {
    const { statusCode, body } = await request(`${apiUrl.replace(/\/+$/, '')}${path}`, {
      headersTimeout: PATIENCE,
      bodyTimeout: PATIENCE,
      ...(signal && { signal }),
    })
    if (statusCode === 200) return ok(body)
    return failed({
      kind: 'refused',
      message: messageIn(await body.text(), `${apiUrl} answers ${statusCode}`),
    })
  } catch (cause) {
    return failed({ kind: 'unreached', message: `no daemon answers at ${apiUrl} (${whyOf(cause)})` })
  }
}

/** The answer as the value it is in JSON. */
export async function jsonOf(answer: Result<Body, ApiProblem>): Promise<Result<unknown, ApiProblem>> {
  if (!answer.ok) return answer
  try {
    return ok(await answer.value.json())
  } catch (cause) {
    return failed({ kind: 'refused', message: `what answers is not the API of Dormouse (${whyOf(cause)})` })
  }
}

export const whyOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

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
