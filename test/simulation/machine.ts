// The machine of the daemon: its wall clock may be wrong and be set, and while it sleeps its monotonic clock stands still.
import type { Clock } from '../../src/model/ports/clock.ts'
import { after, seconds } from '../../src/model/units.ts'

/** Seconds; instants are counted from the start. */
export type MachineTroubles = {
  /** The wall clock minus the service's. */
  readonly skew?: number | undefined
  /** What is added to that from each of these instants on, ascending. */
  readonly steps?: readonly { readonly at: number; readonly by: number }[] | undefined
  /** Ascending, apart from each other. */
  readonly sleeps?: readonly { readonly at: number; readonly for: number }[] | undefined
}

/** @param clock of the world; its monotonic one counts from the start */
export function createMachine(clock: Clock, troubles: MachineTroubles): Clock {
  const { skew = 0, steps = [], sleeps = [] } = troubles
  const awakeAt = (elapsed: number): number =>
    elapsed - sleeps.reduce((sum, one) => sum + Math.min(one.for, Math.max(0, elapsed - one.at)), 0)
  const elapsedAt = (awake: number): number =>
    sleeps.reduce((elapsed, one) => (elapsed > one.at ? elapsed + one.for : elapsed), awake)
  const off = (): number => skew + (steps.findLast(({ at }) => at <= clock.monotonic())?.by ?? 0)
  const monotonic = (): number => awakeAt(clock.monotonic())
  return {
    now: () => after(clock.now(), seconds(off())),
    monotonic: () => seconds(monotonic()),
    sleep: (span, signal) => clock.sleep(seconds(elapsedAt(monotonic() + span) - clock.monotonic()), signal),
    yield: () => clock.yield(),
  }
}
