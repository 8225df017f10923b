// Lets the requests of one account through as its limits allow, the urgent ones first.
import type { Clock, Random } from '../model/ports.ts'
import { after, seconds, type Instant, type Ratio, type Seconds } from '../model/units.ts'
import { openLimits, pauseAt, refused, shareOf, spent, waitAt } from './limits.ts'
import { nextInLine, type Priority } from './queue.ts'

/** Waiting longer than this for a 429 to end is left to a later pass. Doubled, a pass hangs for two minutes on one answer. */
const LONGEST_PAUSE = seconds(60)

/** What is left of a rate after a 429: from 0.4 to 0.6 of it, so that several Dormice do not come back in step. */
const LEAST_LEFT = 0.4
const LEFT_BY_CHANCE = 0.2

/** May go, was told to stop, or should not come back before `until`. */
export type Passage =
  | { readonly kind: 'go'; readonly waited: Seconds }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'limited'; readonly until: Instant }

export type Visitor = {
  readonly route: string
  readonly priority: Priority
  /** Waits out a pause of up to a minute after a 429; one that is not is turned away at once. */
  readonly patient: boolean
}

export type Turnstile = {
  /** In the order of `nextInLine`; nobody waits for one whose own route is paused. */
  pass(visitor: Visitor, signal: AbortSignal): Promise<Passage>
  /** A request to `route`, sent at `sentAt`, monotonic, was answered 429. */
  limit(route: string, sentAt: Seconds, pause: Seconds): void
  /** How much of its rate `route` has. */
  share(route: string): Ratio
}

type Waiting = Visitor & { readonly since: Seconds; readonly end: (passage: Passage) => void }

export function createTurnstile(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  requestsPerMinute: number,
): Turnstile {
  let limits = openLimits(requestsPerMinute, clock.monotonic())
  /** In order of asking. */
  let waiting: readonly Waiting[] = []
  let overtaken = 0
  const alarm = createAlarm(clock)

  function leave(one: Waiting, passage: Passage): void {
    waiting = waiting.filter((other) => other !== one)
    one.end(passage)
  }

  /** Everybody whom the service asked to stay away for longer than they wait. */
  function turnAway(now: Seconds): void {
    for (const one of waiting) {
      const pause = pauseAt(limits, one.route, now)
      if (pause > (one.patient ? LONGEST_PAUSE : 0))
        leave(one, { kind: 'limited', until: after(clock.now(), pause) })
    }
  }

  /** Lets through whoever may go now, and comes back when the next one may. */
  function turn(): void {
    const now = clock.monotonic()
    turnAway(now)
    for (;;) {
      const [first, ...others] = waiting.filter(({ route }) => waitAt(limits, route, now) === 0)
      if (!first) break
      const line = nextInLine([first, ...others], overtaken)
      overtaken = line.overtaken
      limits = spent(limits, line.next.route, now)
      leave(line.next, { kind: 'go', waited: seconds(now - line.next.since) })
    }
    if (waiting.length === 0) alarm.clear()
    else alarm.set(seconds(Math.min(...waiting.map(({ route }) => waitAt(limits, route, now)))), turn)
  }

  return {
    pass(visitor, signal) {
      if (signal.aborted) return Promise.resolve({ kind: 'stopped' })
      const { promise, resolve } = Promise.withResolvers<Passage>()
      const one: Waiting = {
        ...visitor,
        since: clock.monotonic(),
        end: (passage) => {
          signal.removeEventListener('abort', stop)
          resolve(passage)
        },
      }
      const stop = (): void => {
        leave(one, { kind: 'stopped' })
        if (waiting.length === 0) alarm.clear()
      }
      signal.addEventListener('abort', stop, { once: true })
      waiting = [...waiting, one]
      turn()
      return promise
    },

    limit(route, sentAt, pause) {
      const factor = LEAST_LEFT + LEFT_BY_CHANCE * random.unit()
      limits = refused(limits, { route, sentAt, pause, factor }, clock.monotonic())
      turn()
    },

    share: (route) => shareOf(limits, route, clock.monotonic()),
  }
}

type Alarm = {
  /** Calls `ring` after `span`, unless it is to ring earlier anyway. */
  set(span: Seconds, ring: () => void): void
  clear(): void
}

function createAlarm(clock: Clock): Alarm {
  let current: { readonly due: number; readonly stop: AbortController } | undefined
  const clear = (): void => {
    current?.stop.abort()
    current = undefined
  }
  return {
    clear,
    set(span, ring) {
      const due = clock.monotonic() + span
      if (current && current.due <= due) return
      clear()
      const mine = { due, stop: new AbortController() }
      current = mine
      const wait = async (): Promise<void> => {
        await clock.sleep(span, mine.stop.signal)
        if (current !== mine) return
        current = undefined
        ring()
      }
      void wait()
    },
  }
}
