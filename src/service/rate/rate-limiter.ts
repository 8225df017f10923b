// Admits the requests of one account as its limits allow, the urgent ones first.
import type { Clock, Random } from '../../model/ports/clock.ts'
import type { Priority } from '../../model/ports/service.ts'
import { after, seconds, type Instant, type Ratio, type Seconds } from '../../model/units.ts'
import {
  chargeBytes,
  newRateLimits,
  servicePauseAt,
  applyRefusal,
  rateShareOf,
  recordRequest,
  availableTokens,
  waitForRoute,
  waitForAccount,
} from './limits.ts'

/** Longest pause after a 429 that a request waits out, a minute: a pass must not hang on one answer. A later pass asks again. */
const MAX_PAUSE = seconds(60)

/** After a 429 0.4 to 0.6 of a rate remain: by chance, so that several daemons do not come back in step. */
const MIN_REMAINING = 0.4
const REMAINING_SPREAD = 0.2

/** `limited`: the caller should not come back before `until`. */
export type Admission =
  | { readonly kind: 'go'; readonly waited: Seconds }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'limited'; readonly until: Instant }

export type RequestToAdmit = Readonly<{
  route: string
  priority: Priority
  /** Waits out a pause of up to a minute after a 429; an impatient request is refused at once. */
  patient: boolean
}>

export type RateLimiter = {
  /** Admits in the order of `selectNextWaiting`; a request whose route is paused delays no other. */
  admit(request: RequestToAdmit, signal: AbortSignal): Promise<Admission>
  /** A request to `route`, sent at `sentAt`, monotonic, was answered 429. */
  throttle(route: string, sentAt: Seconds, pause: Seconds): void
  /** Ends all requests that wait, as `stopped`. */
  stopWaiting(): void
  /** An answer of so many bytes came. */
  charge(bytes: number): void
  /** Share of its full rate that `route` has. */
  share(route: string): Ratio
  /** Requests that may go out at once. */
  tokens(): number
}

type WaitingRequest = RequestToAdmit & {
  /** Number of the request, in order of asking. */
  readonly order: number
  readonly since: Seconds
  readonly end: (admission: Admission) => void
}

export function createRateLimiter(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  {
    requestsPerMinute,
    unspent,
  }: { readonly requestsPerMinute: number; readonly unspent?: number | undefined },
): RateLimiter {
  let limits = newRateLimits(requestsPerMinute, clock.monotonic(), unspent)
  /** Priority and route → the requests that wait there, in order of asking, at least one: only the first of each can be next. */
  const queues = new Map<string, WaitingRequest[]>()
  let lastOrder = 0
  let overtaken = 0
  const alarm = createAlarm(clock)

  function enqueue(request: WaitingRequest): void {
    const queue = queues.get(queueKey(request))
    if (queue) queue.push(request)
    else queues.set(queueKey(request), [request])
  }

  function dequeue(request: WaitingRequest, admission: Admission): void {
    const queue = queues.get(queueKey(request)) ?? []
    queue.splice(queue.indexOf(request), 1)
    if (queue.length === 0) queues.delete(queueKey(request))
    request.end(admission)
  }

  const heads = (): WaitingRequest[] =>
    [...queues.values()].flatMap(([head]) => head ?? []).toSorted((a, b) => a.order - b.order)

  /** Refusal of a request when the service asks for a longer pause than it waits. */
  function refusalOf({ route, patient }: RequestToAdmit): Admission | undefined {
    const pause = servicePauseAt(limits, route, clock.monotonic())
    if (pause <= (patient ? MAX_PAUSE : 0)) return undefined
    return { kind: 'limited', until: after(clock.now(), pause) }
  }

  /** Admits every request that may go now, and runs again when the next one may. */
  function admitWaiting(): void {
    const now = clock.monotonic()
    while (waitForAccount(limits, now) === 0) {
      const [first, ...others] = heads().filter(({ route }) => waitForRoute(limits, route, now) === 0)
      if (!first) break
      const selection = selectNextWaiting([first, ...others], overtaken)
      overtaken = selection.overtaken
      limits = recordRequest(limits, selection.next.route, now)
      dequeue(selection.next, { kind: 'go', waited: seconds(now - selection.next.since) })
    }
    if (queues.size === 0) alarm.clear()
    else
      alarm.set(
        seconds(Math.min(...heads().map(({ route }) => waitForRoute(limits, route, now)))),
        admitWaiting,
      )
  }

  /** Whether it goes out now: nothing waits, as for most requests. */
  function admitAtOnce({ route }: RequestToAdmit): boolean {
    const now = clock.monotonic()
    if (queues.size > 0 || waitForRoute(limits, route, now) > 0) return false
    overtaken = 0
    limits = recordRequest(limits, route, now)
    return true
  }

  return {
    admit(request, signal) {
      if (signal.aborted) return Promise.resolve({ kind: 'stopped' })
      const refusal = refusalOf(request)
      if (refusal) return Promise.resolve(refusal)
      if (admitAtOnce(request)) return Promise.resolve({ kind: 'go', waited: seconds(0) })
      const { promise, resolve } = Promise.withResolvers<Admission>()
      const waiting: WaitingRequest = {
        ...request,
        order: (lastOrder += 1),
        since: clock.monotonic(),
        end: (admission) => {
          signal.removeEventListener('abort', stop)
          resolve(admission)
        },
      }
      const stop = (): void => {
        dequeue(waiting, { kind: 'stopped' })
        if (queues.size === 0) alarm.clear()
      }
      signal.addEventListener('abort', stop, { once: true })
      enqueue(waiting)
      admitWaiting()
      return promise
    },

    throttle(route, sentAt, pause) {
      const factor = MIN_REMAINING + REMAINING_SPREAD * random.unit()
      limits = applyRefusal(limits, { route, sentAt, pause, factor }, clock.monotonic())
      for (const waiting of [...queues.values()].flat()) {
        const refusal = refusalOf(waiting)
        if (refusal) dequeue(waiting, refusal)
      }
      admitWaiting()
    },

    stopWaiting() {
      for (const waiting of [...queues.values()].flat()) dequeue(waiting, { kind: 'stopped' })
      alarm.clear()
    },

    charge(bytes) {
      limits = chargeBytes(limits, bytes, clock.monotonic())
    },

    share: (route) => rateShareOf(limits, route, clock.monotonic()),
    tokens: () => availableTokens(limits, clock.monotonic()),
  }
}

const queueKey = ({ route, priority }: RequestToAdmit): string => `${priority} ${route}`

/** Position of each priority: 0 is served first. */
const RANKS = { verify: 0, apply: 1, poll: 2, report: 3 } satisfies Record<Priority, number>

/** Requests in a row that may overtake the one that waits longest: of 16 at least 15 are of the most urgent priority that waits. */
const MAX_OVERTAKEN = 15

/**
 * The next of `waiting`, and how often in a row the first of them has been overtaken then.
 * 1. After fifteen overtakings it is the turn of the first, whatever its priority.
 * 2. Otherwise the most urgent priority goes, within a priority in order of asking.
 *
 * So a request with `n` others before it in order of asking goes after at most `16 (n + 1)` turns.
 *
 * @param waiting in order of asking, not empty
 */
export function selectNextWaiting<Waiting extends { readonly priority: Priority }>(
  waiting: readonly [Waiting, ...Waiting[]],
  overtaken: number,
): { readonly next: Waiting; readonly overtaken: number } {
  const [first] = waiting
  if (overtaken >= MAX_OVERTAKEN) return { next: first, overtaken: 0 }
  const next = waiting.reduce(
    (best, request) => (RANKS[request.priority] < RANKS[best.priority] ? request : best),
    first,
  )
  return { next, overtaken: next === first ? 0 : overtaken + 1 }
}

type Alarm = {
  /** Calls `ring` after `span`, unless an earlier call is due. */
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
