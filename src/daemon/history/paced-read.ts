// Reads of the days of all computes for pages: made at a request when the last result is old, one at a time, at a bounded share of the time.
import type { Zone } from '../../calendar/zone.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { instant, seconds, type Instant } from '../../model/units.ts'

const MAX_AGE = seconds(30)
/** Share of the time that reads may take. */
const MAX_BUSY = 0.05
/** For which a page waits for the first result. */
const FIRST_WAIT = seconds(1)

/** @returns answers the last result; undefined while the first read takes long, and where it failed */
export function createPacedRead<Request, Value>(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  read: (request: Request) => Promise<Value>,
) {
  let last: Value | undefined
  let running: Promise<void> | undefined
  let due = clock.monotonic()
  const readAgain = async (request: Request) => {
    const startedAt = clock.monotonic()
    last = await read(request)
    due = seconds(clock.monotonic() + Math.max(MAX_AGE, (clock.monotonic() - startedAt) / MAX_BUSY))
  }
  return async (request: Request): Promise<Value | undefined> => {
    if (clock.monotonic() >= due)
      running ??= readAgain(request)
        // a page without these figures is better than none; the next request tries again
        .catch(() => undefined)
        .finally(() => {
          running = undefined
        })
    if (running && last === undefined) {
      const waiting = new AbortController()
      await Promise.race([running, clock.sleep(FIRST_WAIT, waiting.signal)])
      waiting.abort()
    }
    return last
  }
}

/** Start of the first of `count` days, today included. */
export function firstOfDays(count: number, now: Instant, zone: Zone): Instant {
  let { from } = zone.dayOf(now)
  for (let day = 1; day < count; day += 1) ({ from } = zone.dayOf(instant(from - 1)))
  return from
}
