import type { DeliveryOutcome } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { seconds } from '../../model/units.ts'

/** A slow receiver still answers, and one that hangs does not hold up its next messages for long. */
export const DELIVERY_DEADLINE = seconds(10)

/** After the deadline the signal aborts and the outcome is a retry. Never rejects. */
export async function withinDeadline(
  attempt: (signal: AbortSignal) => Promise<DeliveryOutcome>,
  clock: Clock,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const done = new AbortController()
  const ended = AbortSignal.any([done.signal, signal])
  const late = clock.sleep(DELIVERY_DEADLINE, ended).then((): DeliveryOutcome => ({
    kind: 'retry',
    because: signal.aborted ? 'stopped' : `no answer within ${DELIVERY_DEADLINE} s`,
  }))
  try {
    return await Promise.race([attempt(ended), late])
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
