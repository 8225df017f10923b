// Lets the requests of one account through one after another, as its budget allows.
import type { Clock } from '../model/ports.ts'
import { after, seconds, type Instant, type Seconds } from '../model/units.ts'
import { limited, openBudget, spend, waitFor } from './budget.ts'

/** Waiting longer than this for a 429 to end is left to a later pass. Doubled, a pass hangs for two minutes on one answer. */
const LONGEST_PAUSE = seconds(60)

/** May go, was told to stop, or should not come back before `until`. */
export type Passage =
  | { readonly kind: 'go' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'limited'; readonly until: Instant }

export type Turnstile = {
  /** In order of asking. A `patient` one waits out a pause of up to a minute after a 429; the other is turned away at once. */
  pass(patient: boolean, signal: AbortSignal): Promise<Passage>
  /** A request sent at `sentAt`, monotonic, was answered 429. */
  limit(sentAt: Seconds, pause: Seconds): void
}

export function createTurnstile(clock: Clock, requestsPerMinute: number): Turnstile {
  let budget = openBudget(requestsPerMinute, clock.monotonic())
  let last: Promise<void> = Promise.resolve()

  async function atHead(patient: boolean, signal: AbortSignal): Promise<Passage> {
    while (!signal.aborted) {
      const now = clock.monotonic()
      const pause = seconds(budget.notBefore - now)
      if (pause > (patient ? LONGEST_PAUSE : 0)) return { kind: 'limited', until: after(clock.now(), pause) }
      const wait = waitFor(budget, now)
      if (wait === 0) {
        budget = spend(budget, now)
        return { kind: 'go' }
      }
      // oxlint-disable-next-line no-await-in-loop -- the head waits, and looks again: a 429 may have come meanwhile
      await clock.sleep(wait, signal)
    }
    return { kind: 'stopped' }
  }

  return {
    async pass(patient, signal) {
      const turn = last
      const mine = Promise.withResolvers<void>()
      last = mine.promise
      if (await stoppedBefore(turn, signal)) {
        void turn.then(mine.resolve)
        return { kind: 'stopped' }
      }
      try {
        return await atHead(patient, signal)
      } finally {
        mine.resolve()
      }
    },
    limit(sentAt, pause) {
      budget = limited(budget, clock.monotonic(), { sentAt, pause })
    },
  }
}

/** Whether `signal` aborted before `turn` came. */
async function stoppedBefore(turn: Promise<void>, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = (): void => resolve()
  signal.addEventListener('abort', stop, { once: true })
  if (!signal.aborted) await Promise.race([turn, promise])
  signal.removeEventListener('abort', stop)
  return signal.aborted
}
