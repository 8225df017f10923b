// The daemon's machine: its wall clock may be wrong and may be set; its monotonic clock stands still while the machine sleeps.
import type { Clock } from '../../src/model/ports/clock.ts'
import { after, seconds } from '../../src/model/units.ts'

/** All in seconds; instants since the start. */
export type MachineTroubles = {
  /** Wall clock minus the service's. */
  readonly skew?: number | undefined
  /** Steps of the wall clock, ascending: each replaces the one before. */
  readonly steps?: readonly { readonly at: number; readonly by: number }[] | undefined
  /** Ascending, without overlap. */
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
