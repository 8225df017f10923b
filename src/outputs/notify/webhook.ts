// Delivery by HTTP POST: webhooks, and Slack's incoming webhooks.
import { createHash, createHmac } from 'node:crypto'
import type { Sink } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { postJson } from './post.ts'

export type WebhookOptions = {
  readonly url: () => Result<string, string>
  /** Key of the signature; undefined: bodies are not signed. */
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

/** The key itself, or its digest where a header cannot carry it. */
export const headerKey = (key: string): string =>
  /^[\w./:@+-]{1,200}$/.test(key) ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`

export type SlackOptions = { readonly url: () => Result<string, string>; readonly clock: Clock }

/** Longest text, characters. Source: Slack, "Sending messages using incoming webhooks": longer ones are cut or refused. */
const MAX_SLACK_TEXT_LENGTH = 3000

/**
 * An incoming webhook of Slack or of a compatible chat. The address decides the channel. Source: Slack, "Sending messages using incoming
 * webhooks": the channel cannot be overridden.
 */
export const createSlackSink =
  ({ url, clock }: SlackOptions): Sink =>
  ({ text, slack }, signal) => {
    const body = slack ?? { text: escapeSlackText(text).slice(0, MAX_SLACK_TEXT_LENGTH) }
    return postJson({ url, headers: {}, body: JSON.stringify(body) }, clock, signal)
  }

/** Escapes the characters that Slack turns into links and mentions. Source: Slack, "Formatting text for app surfaces". */
const escapeSlackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
