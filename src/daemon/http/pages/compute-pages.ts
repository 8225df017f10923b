// The pages with awake timelines: the fleet, in parts, and one compute.
import { priceAt } from '../../../ledger/settle/slices.ts'
import { computeKey } from '../../../model/service/compute.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { lastHours } from '../../../model/time.ts'
import { micros, type Instant, type Interval, type Micros } from '../../../model/units.ts'
import { computePage } from '../../../outputs/page/compute.ts'
import { fleetPage, renderFleetRows } from '../../../outputs/page/fleet.ts'
import { documentHtml, renderHtml, type PageContent, type PageContext } from '../../../outputs/page/layout.ts'
import { fleetQuery, RANGE_HOURS } from '../../../outputs/page/query.ts'
import { selectRows, type RecentSumsTable } from '../../../outputs/page/select-rows.ts'
import { SLOT, splitAtSlot } from '../../../outputs/text/html.ts'
import { readTargetChanges } from '../../changes/list-changes.ts'
import { createAwakeTimelines } from '../../history/awake-timelines.ts'
import { readTargetAdvice } from '../../history/recommendations.ts'
import { createRecentSums } from '../../history/recent-sums.ts'
import { createTeamDays, readComputeDays } from '../../history/spend-days.ts'
import { inChunks, inTurns } from '../../turns.ts'
import type { PageSources } from './page-sources.ts'

/** Rendered in one turn of the event loop: about 1 ms, and what a screen shows first. */
const ROWS_PER_PART = 10

/** Ended changes on the page of a compute. */
const ENDED_CHANGES = 5

/** A page half sent goes on without timelines when history cannot be read. */
const NO_TIMELINES = new Map<string, never>()

type Parameters = Readonly<Record<string, string>>

export function createComputePages(sources: PageSources, context: PageContext) {
  const { clock, zone, pricesOf } = sources
  const readRecentSums = createRecentSums(sources)
  const readTimelines = createAwakeTimelines(sources)
  const readTeamDays = createTeamDays(sources)
  const timelineReader = (
    { accounts, takenAt }: Snapshot,
    span: Interval,
    { knownFrom = new Map<string, Instant>() }: Partial<Pick<RecentSumsTable, 'knownFrom'>> = {},
  ) => {
    const sweptAt = new Map(accounts.map(({ account, storedAt }) => [account, storedAt ?? takenAt]))
    return (views: readonly ComputeView[]) => readTimelines({ span, views, knownFrom, sweptAt })
  }

  async function* fleetParts(snapshot: Snapshot, parameters: Parameters) {
    const [documentHead, documentFoot] = splitAtSlot(
      documentHtml({ title: 'Fleet', path: '/', main: SLOT }, snapshot, context),
    )
    yield renderHtml(documentHead)
    const query = fleetQuery(parameters)
    const [recent, spendDays] = await Promise.all([readRecentSums(snapshot), readTeamDays(snapshot)])
    const priceOf = (account: string): Micros => {
      const prices = pricesOf(account)
      return prices ? priceAt(prices, snapshot.takenAt) : micros(0)
    }
    const input = { snapshot, query, recent, charts: spendDays?.charts ?? [], priceOf }
    const { head, rows, foot, money } = fleetPage(input, selectRows(input), zone)
    yield renderHtml(head)
    const timelinesOf = timelineReader(
      snapshot,
      lastHours(snapshot.takenAt, RANGE_HOURS[query.range]),
      recent,
    )
    for (const part of inChunks(rows, ROWS_PER_PART)) {
      const views = part.map(({ view }) => view)
      // oxlint-disable-next-line no-await-in-loop -- each part is sent before the next is read
      const timelines = await timelinesOf(views).catch(() => NO_TIMELINES)
      yield renderHtml(renderFleetRows(part, input, { timelines, zone, money }))
    }
    yield renderHtml([foot, documentFoot])
  }

  return {
    /** The clock yields after each part. */
    fleet: (snapshot: Snapshot, parameters: Parameters) => inTurns(fleetParts(snapshot, parameters), clock),
    /** Undefined without such a compute. */
    compute: async (snapshot: Snapshot, endpointId: string): Promise<PageContent | undefined> => {
      const view = snapshot.computes.find(({ identity: { ref } }) => ref.endpointId === endpointId)
      if (!view) return undefined
      const { takenAt, accounts } = snapshot
      const { ref } = view.identity
      const month = await readTeamDays(snapshot)
      const timelineOver = async (span: Interval) =>
        (await timelineReader(snapshot, span, month)([view])).get(computeKey(ref))
      const week = await timelineOver(lastHours(takenAt, RANGE_HOURS['7d']))
      if (!week) return undefined
      const past = accounts.find(({ account }) => account === ref.account)?.past
      const spendDays = await readComputeDays(sources, view, { takenAt, past })
      const input = {
        view,
        week,
        month: await timelineOver({ from: spendDays.span.from, to: takenAt }),
        spendDays,
        now: takenAt,
        changes: await readTargetChanges(sources.changes, snapshot, { ref, ended: ENDED_CHANGES }),
        advice: await readTargetAdvice(sources, snapshot, ref),
      }
      return computePage(input, context)
    },
  }
}
