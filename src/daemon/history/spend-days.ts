// Spend by day over the last 30 days, for pages: of all computes by team, and of one compute.
import { spendOf } from '../../ledger/settle/cu-time.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { DayRow } from '../../model/ledger/quantities.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import { earliest, instant, micros, type Instant, type Interval } from '../../model/units.ts'
import type { SpendDay, SpendDays } from '../../outputs/charts/spend-days.ts'
import { createPacedRead, firstOfDays } from './paced-read.ts'

type Sources = Readonly<{ history: Pick<History, 'days'>; clock: Clock; zone: Zone }>

export type SpendDaysTable = Readonly<{
  /** A chart for each currency. */
  charts: readonly SpendDays[]
  /** Account → start of its first known day. */
  knownFrom: ReadonlyMap<string, Instant>
}>

/** Today and 29 before. */
const SPEND_DAYS = 30

/** Whole days, today included. */
const spendSpan = (now: Instant, zone: Zone): Interval => ({
  from: firstOfDays(SPEND_DAYS, now, zone),
  to: zone.dayOf(now).to,
})

/** @returns reads spend by team; undefined while the first read takes long */
export const createTeamDays = ({ history, clock, zone }: Sources) =>
  createPacedRead(clock, async ({ accounts, computes, takenAt }: Snapshot): Promise<SpendDaysTable> => {
    const span = spendSpan(takenAt, zone)
    const teams = new Map(
      computes.map(({ identity: { ref, owner } }) => [computeKey(ref), owner.team] as const),
    )
    const knownFrom = new Map<string, Instant>()
    const charts: SpendDays[] = []
    for (const [currency, same] of Map.groupBy(accounts, (account) => account.currency)) {
      const days = createDays(span, zone)
      for (const { account } of same)
        // oxlint-disable-next-line no-await-in-loop -- there is one store
        for await (const row of history.days(account, span)) {
          days.add(row, teams.get(computeKey(row.ref)) ?? '')
          knownFrom.set(account, earliest(row.from, knownFrom.get(account) ?? row.from))
        }
      charts.push({ currency, span, days: days.all() })
    }
    return { charts, knownFrom }
  })

export async function readComputeDays(
  { history, zone }: Pick<Sources, 'history' | 'zone'>,
  ref: ComputeRef,
  { takenAt, currency }: Readonly<{ takenAt: Instant; currency: string }>,
): Promise<SpendDays> {
  const span = spendSpan(takenAt, zone)
  const days = createDays(span, zone)
  for await (const row of history.days(ref.account, { ...span, computes: [ref] })) days.add(row, '')
  return { currency, span, days: days.all() }
}

/** All days of the span; a day without rows has no spend. */
function createDays(span: Interval, zone: Zone) {
  const days = new Map<number, { date: string; spend: Map<string, number> }>()
  for (let at = span.from; at < span.to; at = zone.dayOf(at).to) {
    const { number, date } = zone.dayOf(at)
    days.set(number, { date, spend: new Map() })
  }
  return {
    add: ({ from, to, cuTime }: DayRow, name: string) => {
      const day = days.get(zone.dayOf(instant((from + to) / 2)).number)
      day?.spend.set(name, (day.spend.get(name) ?? 0) + spendOf(cuTime).likely)
    },
    all: (): readonly SpendDay[] =>
      [...days.values()].map(({ date, spend }) => ({
        date,
        spend: new Map([...spend].map(([name, sum]) => [name, micros(sum)])),
      })),
  }
}
