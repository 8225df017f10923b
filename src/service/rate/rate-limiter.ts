// Lets the requests of one account through as its limits allow, the urgent ones first.
import type { Clock, Random } from '../../model/ports/clock.ts'
import { after, seconds, type Instant, type Ratio, type Seconds } from '../../model/units.ts'
import {
  newRateLimits,
  servicePauseAt,
  applyRefusal,
  rateShareOf,
  recordRequest,
  availableTokens,
  waitForRoute,
  waitForAccount,
} from './limits.ts'
import type { Priority } from '../../model/ports/service.ts'
import { selectNextWaiting } from './priority.ts'

/** Waiting longer than this for a 429 to end is left to a later pass. Doubled, a pass hangs for two minutes on one answer. */
const LONGEST_PAUSE = seconds(60)

/** What is left of a rate after a 429: from 0.4 to 0.6 of it, so that several Dormice do not come back in step. */
const LEAST_LEFT = 0.4
const LEFT_BY_CHANCE = 0.2

/** May go, was told to stop, or should not come back before `until`. */
export type Admission =
  | { readonly kind: 'go'; readonly waited: Seconds }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'limited'; readonly until: Instant }

export type WaitingRequest = {
  readonly route: string
  readonly priority: Priority
  /** Waits out a pause of up to a minute after a 429; one that is not is turned away at once. */
  readonly patient: boolean
}

export type RateLimiter = {
  /** In the order of `selectNextWaiting`; nobody waits for one whose own route is paused. */
  pass(visitor: WaitingRequest, signal: AbortSignal): Promise<Admission>
  /** A request to `route`, sent at `sentAt`, monotonic, was answered 429. */
  limit(route: string, sentAt: Seconds, pause: Seconds): void
  /** How much of its rate `route` has. */
  share(route: string): Ratio
  /** How many requests may go out at once. */
  tokens(): number
}

type Waiting = WaitingRequest & {
  /** Counts those who asked. */
  readonly order: number
  readonly since: Seconds
  readonly end: (passage: Admission) => void
}

const laneOf = ({ route, priority }: WaitingRequest): string => `${priority} ${route}`

export function createRateLimiter(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  {
    requestsPerMinute,
    unspent,
  }: { readonly requestsPerMinute: number; readonly unspent?: number | undefined },
): RateLimiter {
  let limits = newRateLimits(requestsPerMinute, clock.monotonic(), unspent)
  /** Class and route → those who wait there, in order of asking, at least one: only the first of each can be next. */
  const lanes = new Map<string, Waiting[]>()
  let asked = 0
  let overtaken = 0
  const alarm = createAlarm(clock)

  function enter(one: Waiting): void {
    const lane = lanes.get(laneOf(one))
    if (lane) lane.push(one)
    else lanes.set(laneOf(one), [one])
  }

  function leave(one: Waiting, passage: Admission): void {
    const lane = lanes.get(laneOf(one)) ?? []
    lane.splice(lane.indexOf(one), 1)
    if (lane.length === 0) lanes.delete(laneOf(one))
    one.end(passage)
  }

  const heads = (): Waiting[] =>
    [...lanes.values()].flatMap(([head]) => head ?? []).toSorted((a, b) => a.order - b.order)

  /** When somebody should not come back before, because the service asks for a longer pause than they wait. */
  function turnedAway({ route, patient }: WaitingRequest): Admission | undefined {
    const pause = servicePauseAt(limits, route, clock.monotonic())
    if (pause <= (patient ? LONGEST_PAUSE : 0)) return undefined
    return { kind: 'limited', until: after(clock.now(), pause) }
  }

  /** Lets through whoever may go now, and comes back when the next one may. */
  function turn(): void {
    const now = clock.monotonic()
    while (waitForAccount(limits, now) === 0) {
      const [first, ...others] = heads().filter(({ route }) => waitForRoute(limits, route, now) === 0)
      if (!first) break
      const line = selectNextWaiting([first, ...others], overtaken)
      overtaken = line.overtaken
      limits = recordRequest(limits, line.next.route, now)
      leave(line.next, { kind: 'go', waited: seconds(now - line.next.since) })
    }
    if (lanes.size === 0) alarm.clear()
    else alarm.set(seconds(Math.min(...heads().map(({ route }) => waitForRoute(limits, route, now)))), turn)
  }

  return {
    pass(visitor, signal) {
      if (signal.aborted) return Promise.resolve({ kind: 'stopped' })
      const away = turnedAway(visitor)
      if (away) return Promise.resolve(away)
      const { promise, resolve } = Promise.withResolvers<Admission>()
      const one: Waiting = {
        ...visitor,
        order: (asked += 1),
        since: clock.monotonic(),
        end: (passage) => {
          signal.removeEventListener('abort', stop)
          resolve(passage)
        },
      }
      const stop = (): void => {
        leave(one, { kind: 'stopped' })
        if (lanes.size === 0) alarm.clear()
      }
      signal.addEventListener('abort', stop, { once: true })
      enter(one)
      turn()
      return promise
    },

    limit(route, sentAt, pause) {
      const factor = LEAST_LEFT + LEFT_BY_CHANCE * random.unit()
      limits = applyRefusal(limits, { route, sentAt, pause, factor }, clock.monotonic())
      for (const one of [...lanes.values()].flat()) {
        const away = turnedAway(one)
        if (away) leave(one, away)
      }
      turn()
    },

    share: (route) => rateShareOf(limits, route, clock.monotonic()),
    tokens: () => availableTokens(limits, clock.monotonic()),
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
