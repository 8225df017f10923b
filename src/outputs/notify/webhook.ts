// POSTs to addresses that are secrets.
import { createHash, createHmac } from 'node:crypto'
import { request } from '../../std/http-client.ts'
import type { DeliveryOutcome, Sink } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { ok, type Result } from '../../std/result.ts'
import { preformatted } from '../../std/sanitize.ts'
import { isUnencrypted } from '../../std/unencrypted.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { withinDeadline } from './deadline.ts'

/** Read before every attempt: it may have been replaced. The problem is one line without the setting. */
type Setting = () => Result<string, string>

type WebhookOptions = Readonly<{
  url: Setting
  /** Key of the signature; undefined: none. */
  secret: Setting | undefined
  /** Whether the address may be http outside of loopback; default false. */
  insecure?: boolean
  clock: Clock
}>

/**
 * `X-Dormouse-Signature: t=<unix>,v1=<hex of HMAC-SHA256 of "t.body">` says who sent it and when; `Idempotency-Key` is the same for every
 * attempt.
 */
export const createWebhookSink =
  ({ url, secret, insecure = false, clock }: WebhookOptions): Sink =>
  (message, signal) => {
    const body = typeof message.body === 'string' ? message.body : JSON.stringify(message.body)
    const signed = secret ? signature(body, secret(), clock) : ok({})
    if (!signed.ok) return Promise.resolve({ kind: 'retry', because: signed.error })
    const headers = { 'idempotency-key': headerKey(message.key), ...signed.value }
    return postJson({ url, insecure, headers, body }, clock, signal)
  }

function signature(body: string, secret: Result<string, string>, clock: Clock) {
  if (!secret.ok) return secret
  const at = Math.floor(clock.now() / 1000)
  const hex = createHmac('sha256', secret.value).update(`${at}.${body}`).digest('hex')
  return ok({ 'x-dormouse-signature': `t=${at},v1=${hex}` })
}

/** Its digest where a header cannot carry it. */
export const headerKey = (key: string): string =>
  /^[\w./:@+-]{1,200}$/.test(key) ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`

/** Characters: longer texts are cut or refused. Source: Slack, "Sending messages using incoming webhooks". */
const MAX_SLACK_TEXT_LENGTH = 3000

/** Messages to Slack or a compatible chat. The address decides the channel, which cannot be overridden. Source as above. */
export const createSlackSink =
  ({ url, insecure = false, clock }: Omit<WebhookOptions, 'secret'>): Sink =>
  ({ text, slack }, signal) => {
    const body = slack ?? { text: preformatted(text, MAX_SLACK_TEXT_LENGTH) }
    return postJson({ url, insecure, headers: {}, body: JSON.stringify(body) }, clock, signal)
  }

type PostRequest = Pick<WebhookOptions, 'url' | 'insecure'> &
  Readonly<{ headers: Readonly<Record<string, string>>; body: string }>

/** For good. All others may pass later, for instance when somebody corrects the address. */
const REJECTED = new Set([400, 413, 422])
/** Bytes read; the content is not used. */
const MAX_ANSWER_SIZE = 65_536
/** Seconds: a receiver must not put off messages for days. */
const MAX_RETRY_AFTER = 3600

/** Redirects are not followed: somebody else chose that address. Never rejects. */
function postJson(
  { url, insecure = false, headers, body }: PostRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const address = url()
  if (!address.ok) return Promise.resolve({ kind: 'retry', because: address.error })
  const target = URL.parse(address.value)
  if (!target || !/^https?:$/.test(target.protocol))
    return Promise.resolve({ kind: 'retry', because: 'its address is no http or https URL' })
  if (!insecure && isUnencrypted(target.href))
    return Promise.resolve({
      kind: 'retry',
      because: 'its address is http: expected https, or insecure: true',
    })
  return withinDeadline(
    async (ended) => {
      const answer = await request(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'dormouse', ...headers },
        body,
        signal: ended,
        reset: true,
      })
      await answer.body.dump({ limit: MAX_ANSWER_SIZE, signal: ended })
      return outcomeOf(answer.statusCode, parseRetryAfter(answer.headers['retry-after'], clock))
    },
    clock,
    signal,
  )
}

function outcomeOf(status: number, after: Seconds | undefined): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const because = `answered ${status}`
  if (REJECTED.has(status)) return { kind: 'failed', because }
  if (status >= 300 && status < 400)
    return { kind: 'retry', because: `${because}: redirects are not followed` }
  return { kind: 'retry', because, ...(after === undefined ? {} : { after }) }
}

/** Seconds, or a date. Source: RFC 9110, 10.2.3. */
function parseRetryAfter(header: string | string[] | undefined, clock: Clock): Seconds | undefined {
  const text = [header].flat()[0]
  if (text === undefined) return undefined
  const span = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - clock.now()) / 1000
  return Number.isNaN(span) ? undefined : seconds(Math.min(Math.max(0, span), MAX_RETRY_AFTER))
}
