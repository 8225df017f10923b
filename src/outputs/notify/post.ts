// POST of JSON text to an address that is a secret.
import { request } from 'undici'
import type { DeliveryOutcome } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Result } from '../../std/result.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { withinDeadline } from './deadline.ts'

export type PostRequest = {
  /** Read before every attempt, because it may have been replaced. The problem is one line without the address. */
  readonly url: () => Result<string, string>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Statuses that reject this message for good. All others may pass later, for instance when somebody corrects the address. */
const REJECTED = new Set([400, 413, 422])
/** Most bytes read of an answer; its content is not used. */
const MAX_ANSWER_SIZE = 65_536
/** Longest `Retry-After` that is followed, seconds: a receiver must not put off messages for days. */
const MAX_RETRY_AFTER = 3600

/** Redirects are not followed: the message would go to an address that somebody else chose. Never rejects. */
export function postJson(
  { url, headers, body }: PostRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const address = url()
  if (!address.ok) return Promise.resolve({ kind: 'retry', because: address.error })
  const target = URL.parse(address.value)
  if (!target || !/^https?:$/.test(target.protocol))
    return Promise.resolve({ kind: 'retry', because: 'its address is no http or https URL' })
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
