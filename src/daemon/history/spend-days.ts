// Spend by day over the last 30 days, for pages: of all computes by team, and of one compute.
import { createShownRows } from '../../ledger/metering/shown-amount.ts'
import { spendOf } from '../../ledger/settle/cu-time.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { CountedPast } from '../../model/ledger/counted-past.ts'
import type { DayRow } from '../../model/ledger/quantities.ts'
import type { ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import { computeKey } from '../../model/service/compute.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import { earliest, instant, micros, type Instant, type Interval } from '../../model/units.ts'
import type { SpendDay, SpendDays } from '../../outputs/charts/spend-days.ts'
import { shownSourcesText } from '../../outputs/text/amounts.ts'
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
    const teamOf = createTeams(computes)
    const knownFrom = new Map<string, Instant>()
    const charts: SpendDays[] = []
    for (const [currency, same] of Map.groupBy(accounts, (account) => account.currency)) {
      const days = createDays(span, zone)
      for (const { account, past } of same) {
        const shownRow = createShownRows(past)
        // oxlint-disable-next-line no-await-in-loop -- there is one store
        for await (const row of history.days(account, span)) {
          days.add(shownRow(row), teamOf(row))
          knownFrom.set(account, earliest(row.from, knownFrom.get(account) ?? row.from))
        }
      }
      const because = shownSourcesText(
        same.map(({ totals }) => totals.shown),
        span.from,
      )
      charts.push({ currency, span, days: days.all(), because })
    }
    return { charts, knownFrom }
  })

/** A deleted compute has the team that its project has for other computes, if one of them is left. */
function createTeams(computes: readonly ComputeView[]): (row: DayRow) => string {
  const own = new Map<string, string>()
  const ofProject = new Map<string, string>()
  for (const { identity } of computes) {
    own.set(computeKey(identity.ref), identity.owner.team)
    ofProject.set(projectKey(identity.ref), identity.projectOwner.team)
  }
  return ({ ref }) => own.get(computeKey(ref)) ?? ofProject.get(projectKey(ref)) ?? ''
}

const projectKey = ({ account, projectId }: DayRow['ref']) => `${account}/${projectId}`

export async function readComputeDays(
  { history, zone }: Pick<Sources, 'history' | 'zone'>,
  { identity: { ref, currency }, ledger }: ComputeView,
  { takenAt, past }: Readonly<{ takenAt: Instant; past: CountedPast | undefined }>,
): Promise<SpendDays> {
  const span = spendSpan(takenAt, zone)
  const days = createDays(span, zone)
  const shownRow = createShownRows(past)
  for await (const row of history.days(ref.account, { ...span, computes: [ref] })) days.add(shownRow(row), '')
  return { currency, span, days: days.all(), because: shownSourcesText([ledger.shown], span.from) }
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
