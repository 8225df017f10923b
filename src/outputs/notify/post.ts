// One POST of JSON text to an address that is a secret.
import { request } from 'undici'
import type { DeliveryOutcome } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Result } from '../../std/result.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { withinDeadline } from './deadline.ts'

export type PostRequest = {
  /** Asked before every attempt, so that a replaced address is seen; the problem is one line that does not contain it. */
  readonly url: () => Result<string, string>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Answers that say that this very message is wrong. All others may pass, if only once somebody corrects the address. */
const NEVER = new Set([400, 413, 422])
/** What is read of an answer. */
const LARGEST = 65_536
/** Doubled, a receiver can put off a message for twice as long. */
const LONGEST_PAUSE = 3600

/** Redirects are not followed: an address that somebody else chooses would get the message. Never rejects. */
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
      await answer.body.dump({ limit: LARGEST, signal: ended })
      return judged(answer.statusCode, pauseIn(answer.headers['retry-after'], clock))
    },
    clock,
    signal,
  )
}

function judged(status: number, after: Seconds | undefined): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const because = `answered ${status}`
  if (NEVER.has(status)) return { kind: 'failed', because }
  if (status >= 300 && status < 400)
    return { kind: 'retry', because: `${because}: redirects are not followed` }
  return { kind: 'retry', because, ...(after === undefined ? {} : { after }) }
}

/** Seconds, or a date. Source: RFC 9110, 10.2.3. */
function pauseIn(header: string | string[] | undefined, clock: Clock): Seconds | undefined {
  const text = [header].flat()[0]
  if (text === undefined) return undefined
  const span = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - clock.now()) / 1000
  return Number.isNaN(span) ? undefined : seconds(Math.min(Math.max(0, span), LONGEST_PAUSE))
}
