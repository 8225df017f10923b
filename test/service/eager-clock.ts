import { fakeClock } from '../support/fake-clock.ts'
import type { Clock } from '../../src/model/ports/clock.ts'

type EagerClock = ReturnType<typeof fakeClock> & { readonly waits: readonly number[] }

/** The deadline of an attempt: the wait that ends only when it is answered, or when the test lets it pass. */
const isDeadline = (span: number): boolean => span > 5 && span <= 10

/** A clock on which every wait but a deadline is over at once, and is noted. */
export function eagerClock(): EagerClock {
  const clock = fakeClock()
  const waits: number[] = []
  const sleep: Clock['sleep'] = async (span, signal) => {
    const over = clock.sleep(span, signal)
    if (!isDeadline(span)) {
      waits.push(span)
      await clock.advance(span)
    }
    await over
  }
  return { ...clock, waits, sleep }
}
