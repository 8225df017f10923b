// Sums of the last seven days per compute, for pages: made at a request when the last are old.
import { spendOf } from '../../ledger/settle/cu-time.ts'
import type { Zone } from '../../calendar/zone.ts'
import { computeKey } from '../../model/service/compute.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import { instant, micros, millis, seconds, type Instant, type Interval } from '../../model/units.ts'
import type { RecentSumsTable, RecentSums } from '../../outputs/page/select-rows.ts'

type DayHistory = Pick<History, 'days'>

const MAX_AGE = seconds(30)
/** Share of the time that summing may take: it reads the days of all computes. */
const MAX_BUSY = 0.05
/** For which a page waits for the first sums. */
const FIRST_WAIT = seconds(1)
const DAYS = 7

type RecentSumsSources = Readonly<{ history: DayHistory; clock: Clock; zone: Zone }>

export function createRecentSums({ history, clock, zone }: RecentSumsSources) {
  let last: RecentSumsTable | undefined
  let running: Promise<void> | undefined
  let due = clock.monotonic()
  const sumUp = async (accounts: readonly string[], now: Instant) => {
    const startedAt = clock.monotonic()
    last = await sumDays(history, accounts, { from: firstDay(zone, now), to: now })
    due = seconds(clock.monotonic() + Math.max(MAX_AGE, (clock.monotonic() - startedAt) / MAX_BUSY))
  }
  /** Undefined while the first sums take long. */
  return async (accounts: readonly string[], now: Instant): Promise<RecentSumsTable | undefined> => {
    if (clock.monotonic() >= due)
      running ??= sumUp(accounts, now)
        // a page without sums is better than none; the next request tries again
        .catch(() => undefined)
        .finally(() => {
          running = undefined
        })
    if (running && !last) {
      const waiting = new AbortController()
      await Promise.race([running, clock.sleep(FIRST_WAIT, waiting.signal)])
      waiting.abort()
    }
    return last
  }
}

function firstDay(zone: Zone, now: Instant) {
  let { from } = zone.dayOf(now)
  for (let day = 1; day < DAYS; day += 1) ({ from } = zone.dayOf(instant(from - 1)))
  return from
}

async function sumDays(history: DayHistory, accounts: readonly string[], { from, to }: Interval) {
  const sums = new Map<string, RecentSums>()
  const knownFrom = new Map<string, Instant>()
  for (const account of accounts) {
    // oxlint-disable-next-line no-await-in-loop -- there is one store
    for await (const day of history.days(account, { from, to })) {
      const key = computeKey(day.ref)
      const before = sums.get(key) ?? { awake: 0, idleTail: 0, spend: 0 }
      sums.set(key, {
        awake: millis(before.awake + day.awake.likely),
        idleTail: millis(before.idleTail + day.idleTail),
        spend: micros(before.spend + spendOf(day.cuTime).likely),
      })
      knownFrom.set(account, instant(Math.min(day.from, knownFrom.get(account) ?? day.from)))
    }
  }
  return { from, sums, knownFrom }
}
