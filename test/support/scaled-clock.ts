import { type Clock, createClock } from '../../src/local/clock.ts'

/** A clock that agrees with the machine's at `startedAt`, ms, and runs `scale` times as fast. */
export function createScaledClock(scale: number, startedAt = Date.now()): Clock {
  const machine = createClock()
  return {
    now: () => startedAt + Math.floor((machine.now() - startedAt) * scale),
    after: (ms, done) => machine.after(ms / scale, done),
    sleep: (ms, signal) => machine.sleep(ms / scale, signal),
  }
}
