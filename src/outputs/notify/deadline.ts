import type { DeliveryOutcome } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { seconds } from '../../model/units.ts'

/** One attempt. Doubled, a receiver that hangs holds up the messages behind it twice as long. */
export const DELIVERY_DEADLINE = seconds(10)

/** What `attempt` comes to, or that it took too long; its signal aborts then. Never rejects. */
export async function withinDeadline(
  attempt: (signal: AbortSignal) => Promise<DeliveryOutcome>,
  clock: Clock,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const over = new AbortController()
  const ended = AbortSignal.any([over.signal, signal])
  const late = clock.sleep(DELIVERY_DEADLINE, ended).then((): DeliveryOutcome => ({
    kind: 'retry',
    because: signal.aborted ? 'stopped' : `no answer within ${DELIVERY_DEADLINE} s`,
  }))
  try {
    return await Promise.race([attempt(ended), late])
  } catch (cause) {
    return { kind: 'retry', because: `failed: ${failureCode(cause)}` }
  } finally {
    over.abort()
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  ECONNRESET: 'connection cut',
  UND_ERR_SOCKET: 'connection cut',
  EAUTH: 'user or password refused',
  ETLS: 'no encrypted connection',
  ENOSPC: 'disk full',
  EACCES: 'permission denied',
}

/** The kind of a failure; never its message, which may name an address. */
export function failureCode(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no reason given'
  return WORDS[code] ?? code
}
