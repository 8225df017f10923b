import type { DeliveryOutcome } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { seconds, type Seconds } from '../../model/units.ts'

/** A slow receiver still answers, and one that hangs does not hold up its next messages for long. */
export const DELIVERY_DEADLINE = seconds(10)

/** `extend`: the receiver has the whole message and may take that long to answer. */
type Attempt = (signal: AbortSignal, extend: (answer: Seconds) => void) => Promise<DeliveryOutcome>

/** After the deadline the signal aborts and the outcome is a retry. Never rejects. */
export async function withinDeadline(
  attempt: Attempt,
  clock: Clock,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const done = new AbortController()
  const ended = AbortSignal.any([done.signal, signal])
  let wait = DELIVERY_DEADLINE
  let until = clock.monotonic() + wait
  const extend = (answer: Seconds) => {
    wait = answer
    until = clock.monotonic() + wait
  }
  const late = async (): Promise<DeliveryOutcome> => {
    for (let left: number = wait; left > 0 && !ended.aborted; left = until - clock.monotonic())
      // oxlint-disable-next-line no-await-in-loop -- the deadline may have moved
      await clock.sleep(seconds(left), ended)
    return { kind: 'retry', because: signal.aborted ? 'stopped' : `no answer within ${wait} s` }
  }
  try {
    return await Promise.race([attempt(ended, extend), late()])
  } catch (cause) {
    return { kind: 'retry', because: `failed: ${failureCode(cause)}` }
  } finally {
    done.abort()
  }
}

const CODE_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  ECONNRESET: 'connection cut',
  UND_ERR_SOCKET: 'connection cut',
  EAUTH: 'user or password refused',
  ETLS: 'no encrypted connection',
  ENOSPC: 'disk full',
  EACCES: 'permission denied',
}

/** Never the message, which may contain a secret address. */
export function failureCode(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no reason given'
  return CODE_TEXTS[code] ?? code
}
