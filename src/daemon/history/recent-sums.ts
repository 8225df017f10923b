// Sums of the last seven days per compute, for pages.
import { createShownRows } from '../../ledger/metering/shown-amount.ts'
import { spendOf } from '../../ledger/settle/cu-time.ts'
import type { Zone } from '../../calendar/zone.ts'
import { computeKey } from '../../model/service/compute.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import { instant, micros, millis, type Instant, type Interval } from '../../model/units.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import type { RecentSums } from '../../outputs/page/select-rows.ts'
import { createPacedRead, firstOfDays } from './paced-read.ts'

type DayHistory = Pick<History, 'days'>

/** Today and six before. */
const DAYS = 7

type RecentSumsSources = Readonly<{ history: DayHistory; clock: Clock; zone: Zone }>

/** @returns reads sums; undefined while the first take long */
export const createRecentSums = ({ history, clock, zone }: RecentSumsSources) =>
  createPacedRead(clock, ({ accounts, takenAt }: Pick<Snapshot, 'accounts' | 'takenAt'>) =>
    sumDays(history, accounts, { from: firstOfDays(DAYS, takenAt, zone), to: takenAt }),
  )

async function sumDays(history: DayHistory, accounts: Snapshot['accounts'], { from, to }: Interval) {
  const sums = new Map<string, RecentSums>()
  const knownFrom = new Map<string, Instant>()
  for (const { account, past } of accounts) {
    const shownRow = createShownRows(past)
    // oxlint-disable-next-line no-await-in-loop -- there is one store
    for await (const day of history.days(account, { from, to })) {
      const key = computeKey(day.ref)
      const before = sums.get(key) ?? { awake: 0, idleTail: 0, spend: 0 }
      sums.set(key, {
        awake: millis(before.awake + day.awake.likely),
        idleTail: millis(before.idleTail + day.idleTail),
        spend: micros(before.spend + spendOf(shownRow(day).cuTime).likely),
      })
      knownFrom.set(account, instant(Math.min(day.from, knownFrom.get(account) ?? day.from)))
    }
  }
  return { from, sums, knownFrom }
}
