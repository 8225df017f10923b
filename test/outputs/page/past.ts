// History of the week before a snapshot, in line with the states of its computes.
import { isComputeRef, type ComputeRef } from '../../../src/model/service/compute.ts'
import type { DayRow } from '../../../src/model/ledger/quantities.ts'
import type { LikelyAwakeInterval } from '../../../src/model/ledger/ledger.ts'
import type { History } from '../../../src/model/ports/history.ts'
import type { Snapshot } from '../../../src/model/output/snapshot.ts'
import { after, instant, millis, seconds, type Instant } from '../../../src/model/units.ts'
import { recommendationsOf, withheldOf } from './advised.ts'
import { NO_HISTORY } from '../../support/no-history.ts'

const HOUR = 3_600_000
/** Of a CU-hour, in micros. */
export const PRICE = 106_000

/** Seven days before the snapshot: compute number n wakes every n + 1 hours for some minutes, and as last its state says. */
export const pastOf = ({ accounts, computes, takenAt }: Snapshot): History => ({
  ...NO_HISTORY,
  async *awakeTimes(account, { from, to, computes: wanted = [] }) {
    const until = accounts.find((one) => one.account === account)?.storedAt ?? takenAt
    for (const ref of wanted)
      yield {
        ref,
        times: wakes(ref, takenAt)
          .filter((one) => one.from < to && one.to > from && one.from < until)
          .map((one) => (one.to > until ? { ...one, to: until } : one)),
      }
  },
  async *recommendations(account, { targets: wanted, states }) {
    for (const ref of wanted ?? refsOf(computes, account))
      yield* (isComputeRef(ref) ? recommendationsOf(ref) : []).filter(
        ({ life }) => states?.includes(life.state) ?? true,
      )
  },
  async *advice(account, { targets: wanted }) {
    for (const ref of wanted ?? refsOf(computes, account)) if (isComputeRef(ref)) yield withheldOf(ref)
  },
  async *days(account) {
    for (const {
      identity: { ref },
    } of computes)
      if (ref.account === account) yield* daysOf(ref, takenAt)
  },
})

const refsOf = (computes: Snapshot['computes'], account: string) =>
  computes.map(({ identity }) => identity.ref).filter((ref) => ref.account === account)

const numberOf = ({ endpointId }: ComputeRef): number => Number(endpointId.match(/\d+/)?.[0] ?? 0)

export const isAwake = (number: number): boolean => number % 3 === 0

/** Seconds. */
export const ASLEEP_FOR = 600
export const DELAY = 300

/** Number of distinct histories: least common multiple of the cycles in `wakesOf`. */
const KINDS = 165
const cachedWakes = new Map<string, readonly LikelyAwakeInterval[]>()

function wakes(ref: ComputeRef, now: Instant): readonly LikelyAwakeInterval[] {
  const number = numberOf(ref) % KINDS
  const intervals = cachedWakes.get(`${number} ${now}`) ?? wakesOf(number, now)
  cachedWakes.set(`${number} ${now}`, intervals)
  return intervals
}

function wakesOf(number: number, now: Instant): readonly LikelyAwakeInterval[] {
  const every = (1 + (number % 11)) * HOUR
  const to = isAwake(number) ? now : after(now, seconds(-ASLEEP_FOR))
  const last = {
    from: after(to, seconds(-1200 - 300 * (number % 5))),
    to,
    tail: millis(isAwake(number) ? 0 : 1000 * DELAY),
    restart: false,
  }
  const before = Array.from({ length: Math.floor((168 * HOUR) / every) }, (_, index) => {
    const from = instant(now - 168 * HOUR + index * every + ((index * 7919) % 1800) * 1000)
    return { from, to: instant(from + every / 3), tail: millis(1000 * DELAY), restart: index % 23 === 5 }
  })
  return [...before.filter((one) => one.to < last.from), last]
}

/** Today and six days before. */
export const daysOf = (ref: ComputeRef, now: Instant): readonly DayRow[] =>
  Array.from({ length: 7 }, (_, ago) => {
    const from = instant(Math.floor(now / (24 * HOUR)) * 24 * HOUR - ago * 24 * HOUR)
    const to = after(from, seconds(86_400))
    const times = wakes(ref, now).filter((one) => one.from >= from && one.from < to)
    const awake = millis(times.reduce((sum, one) => sum + one.to - one.from, 0))
    const time = { low: awake, likely: awake, high: awake }
    return {
      ref,
      date: `day-${ago}`,
      from,
      to,
      awake: time,
      cuTime: { [PRICE]: time as never },
      idleTail: millis(times.reduce((sum, { tail }) => sum + tail, 0)),
      observerOverhead: millis(0),
      wakes: times.length,
      version: 1,
    }
  })
