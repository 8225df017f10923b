import type { Clock } from '../model/ports/clock.ts'
import { instant, type Instant, type Seconds } from '../model/units.ts'

/** When the monotonic clock showed `on`, by what is known of the time now: the first answer may have told it. */
export const instantOf = (on: Seconds, clock: Pick<Clock, 'now' | 'monotonic'>): Instant =>
  instant(Math.round(clock.now() - (clock.monotonic() - on) * 1000))
