// The machine of a daemon that has its troubles: clocks that are wrong, are set, and stand still while it sleeps.
import { sleepUntilStopped } from '../../support/fake-clock.ts'
import type { Clock, Random } from '../../../src/model/ports/clock.ts'
import { instant, seconds, type Seconds } from '../../../src/model/units.ts'
import { createServiceTime, type ServiceTimeLog } from '../../../src/service/http/server-time.ts'
import { START } from '../../local/control/build.ts'
import { dateHeader, FRESH_DATE, type KeptDate } from '../../support/date-header.ts'
import { between, chance, pick } from './life.ts'

const HOUR = 3_600_000

export type ClockTroubles = {
  /** The wall clock minus the service's, ms, from each of these times on. */
  readonly steps: readonly { readonly at: number; readonly by: number }[]
  /** Whether answers tell the service's time. Then a wall clock may be wrong when a process begins, and the machine may sleep. */
  readonly dated: boolean
  /** How the service dates its answers. */
  readonly date: KeptDate
  /** When the machine sleeps, and for how long, ms. */
  readonly sleeps: readonly { readonly at: number; readonly for: number }[]
}

/** By chance of its own, so that those without dates meet the same troubles otherwise. */
export function clocksOf(
  random: Random,
  length: number,
): Omit<ClockTroubles, 'steps'> & Partial<ClockTroubles> {
  if (chance(random, 0.5)) return { dated: false, date: FRESH_DATE, sleeps: [] }
  const off = pick(random, [0, HOUR, -HOUR, 24 * HOUR, -24 * HOUR])
  const steps = Array.from({ length: pick(random, [0, 1, 3]) }, () => ({
    at: random.unit() * length,
    by: pick(random, [HOUR, -HOUR, 24 * HOUR, -24 * HOUR]),
  })).toSorted((a, b) => a.at - b.at)
  const sleeps = Array.from({ length: pick(random, [0, 1, 3]) }, () => ({
    at: random.unit() * length,
    for: between(random, 0, 4 * HOUR),
  })).toSorted((a, b) => a.at - b.at)
  const apart = sleeps.filter(({ at }, index) => sleeps.slice(0, index).every((one) => one.at + one.for < at))
  const date = { kept: pick(random, [0, 0, 500, 1000]), phase: between(random, 0, 1000) }
  return { dated: true, date, sleeps: apart, steps: [{ at: 0, by: off }, ...steps] }
}

export type Machine = {
  readonly clock: Clock
  /** Of the process that runs. */
  readonly serviceTime: Pick<ServiceTimeLog, 'estimate'>
  /** The service's time, ms after the start. */
  now(): number
  /** How long it has slept so far, ms. */
  slept(): number
  goTo(at: number): void
  /** To the first instant from then on at which the machine does not sleep. */
  wakeAt(at: number): void
  /** An answer of the service that was written at `writtenAt` has come. */
  hear(writtenAt: number, sentOn: Seconds): void
  /**
   * A new process begins. Where no answer tells the time, somebody put the clock right before: when it begins there is nothing else
   * to go by.
   */
  restart(): void
}

export function createMachine({ steps, dated, date, sleeps }: ClockTroubles): Machine {
  let [now, begun, mended] = [0, 0, 0]
  const off = (): number => steps.findLast((step) => step.at <= now && step.at >= mended)?.by ?? 0
  const slept = (): number =>
    sleeps.reduce((sum, one) => sum + Math.min(one.for, Math.max(0, now - one.at)), 0)
  const clock: Clock = {
    now: () => instant(Math.round(START + now + off())),
    monotonic: () => seconds((now - slept() - begun) / 1000),
    sleep: sleepUntilStopped,
    yield: () => Promise.resolve(),
  }
  let time = createServiceTime(clock)
  return {
    clock,
    serviceTime: { estimate: () => time.estimate() },
    now: () => now,
    slept,
    goTo: (at) => {
      now = at
    },
    wakeAt: (at) => {
      const asleep = sleeps.find((one) => one.at < at && at < one.at + one.for)
      now = asleep ? asleep.at + asleep.for : at
    },
    hear: (writtenAt, sentOn) => {
      const headers = dated ? { date: dateHeader(START + writtenAt, date) } : {}
      time.record({ code: '200', headers, seconds: seconds(clock.monotonic() - sentOn) })
    },
    restart: () => {
      begun = now - slept()
      mended = dated ? mended : now
      time = createServiceTime(clock)
    },
  }
}
