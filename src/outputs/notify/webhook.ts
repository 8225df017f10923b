import { createHash, createHmac } from 'node:crypto'
import type { Sink } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { postJson } from './post.ts'

export type WebhookOptions = {
  readonly url: () => Result<string, string>
  /** What bodies are signed with; undefined: they are not. */
  readonly secret: (() => Result<string, string>) | undefined
  readonly clock: Clock
}

/**
 * POSTs the body of a message. `X-Dormouse-Signature: t=<unix>,v1=<hex of HMAC-SHA256 of "t.body">`, so that a receiver knows who sent
 * it and when; `Idempotency-Key` is the same for every attempt.
 */
export const createWebhookSink =
  ({ url, secret, clock }: WebhookOptions): Sink =>
  (message, signal) => {
    const body = typeof message.body === 'string' ? message.body : JSON.stringify(message.body)
    const signed = secret ? signature(body, secret(), clock) : ok({})
    if (!signed.ok) return Promise.resolve({ kind: 'retry', because: signed.error })
    const headers = { 'idempotency-key': headerKey(message.key), ...signed.value }
    return postJson({ url, headers, body }, clock, signal)
  }

function signature(
  body: string,
  secret: Result<string, string>,
  clock: Clock,
): Result<Readonly<Record<string, string>>, string> {
  if (!secret.ok) return failed(secret.error)
  const at = Math.floor(clock.now() / 1000)
  const hex = createHmac('sha256', secret.value).update(`${at}.${body}`).digest('hex')
  return ok({ 'x-dormouse-signature': `t=${at},v1=${hex}` })
}

/** As it is where a header can carry it. */
export const headerKey = (key: string): string =>
  /^[\w./:@+-]{1,200}$/.test(key) ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`
