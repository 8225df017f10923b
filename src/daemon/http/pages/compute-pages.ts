// The pages with awake timelines: the fleet, sent in parts, and one compute.
import { priceAt } from '../../../ledger/settle/slices.ts'
import { computeKey } from '../../../model/service/compute.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { lastHours } from '../../../model/time.ts'
import { micros, type Micros } from '../../../model/units.ts'
import type { AwakeTimeline } from '../../../outputs/charts/timeline.ts'
import { computePage } from '../../../outputs/page/compute.ts'
import { fleetPage, renderFleetRows } from '../../../outputs/page/fleet.ts'
import type { RecentSumsTable } from '../../../outputs/page/fleet-input.ts'
import { documentHtml, renderHtml, type PageContent, type PageContext } from '../../../outputs/page/layout.ts'
import { fleetQuery, RANGE_HOURS, type Range } from '../../../outputs/page/query.ts'
import { selectRows } from '../../../outputs/page/select-rows.ts'
import { SLOT, splitAtSlot } from '../../../outputs/text/html.ts'
import { createAwakeTimelines } from '../../history/awake-timelines.ts'
import { createRecentSums } from '../../history/recent-sums.ts'
import type { PageSources } from './page-sources.ts'

export type ComputePages = {
  /** The document in parts; the clock yields after each. */
  readonly fleet: (
    snapshot: Snapshot,
    parameters: Readonly<Record<string, string>>,
  ) => AsyncGenerator<string, void>
  /** Undefined without such a compute. */
  readonly compute: (snapshot: Snapshot, endpointId: string) => Promise<PageContent | undefined>
}

/** Rows rendered in one turn of the event loop: about a millisecond of work, and what a screen shows first. */
const ROWS_PER_PART = 10

/** Rows without timelines: a page that is half sent goes on without them when history cannot be read. */
const NO_TIMELINES: ReadonlyMap<string, AwakeTimeline> = new Map()

type TimelineSelection = {
  readonly views: readonly ComputeView[]
  readonly range: Range
  readonly recent: RecentSumsTable | undefined
}

export function createComputePages(sources: PageSources, context: PageContext): ComputePages {
  const { clock, zone } = sources
  const readRecentSums = createRecentSums(sources)
  const readTimelines = createAwakeTimelines(sources)
  const recentSums = ({ accounts, takenAt }: Snapshot): Promise<RecentSumsTable | undefined> =>
    readRecentSums(
      accounts.map(({ account }) => account),
      takenAt,
    )
  const timelines = (
    { accounts, takenAt }: Snapshot,
    { views, range, recent }: TimelineSelection,
  ): Promise<ReadonlyMap<string, AwakeTimeline>> =>
    readTimelines({
      span: lastHours(takenAt, RANGE_HOURS[range]),
      views,
      knownFrom: recent?.knownFrom ?? new Map(),
      sweptAt: new Map(accounts.map(({ account, lastSweepAt }) => [account, lastSweepAt ?? takenAt])),
    })

  async function* fleetParts(
    snapshot: Snapshot,
    parameters: Readonly<Record<string, string>>,
  ): AsyncGenerator<string, void> {
    const [documentHead, documentFoot] = splitAtSlot(
      documentHtml({ title: 'Fleet', path: '/', main: SLOT }, snapshot, context),
    )
    yield renderHtml(documentHead)
    const query = fleetQuery(parameters)
    const recent = await recentSums(snapshot)
    const input = { snapshot, query, recent, priceOf: priceOf(sources, snapshot) }
    const { head, rows, foot } = fleetPage(input, selectRows(input), zone)
    yield renderHtml(head)
    for (let from = 0; from < rows.length; from += ROWS_PER_PART) {
      const part = rows.slice(from, from + ROWS_PER_PART)
      const views = part.map(({ view }) => view)
      // oxlint-disable-next-line no-await-in-loop -- each part is sent before the timelines of the next are read
      const drawn = await timelines(snapshot, { views, range: query.range, recent }).catch(() => NO_TIMELINES)
      yield renderHtml(renderFleetRows(part, input, { timelines: drawn, zone }))
    }
    yield renderHtml([foot, documentFoot])
  }

  return {
    async *fleet(snapshot, parameters) {
      for await (const part of fleetParts(snapshot, parameters)) {
        yield part
        await clock.yield()
      }
    },
    compute: async (snapshot, endpointId) => {
      const view = snapshot.computes.find(({ identity: { ref } }) => ref.endpointId === endpointId)
      if (!view) return undefined
      const recent = await recentSums(snapshot)
      const drawn = await timelines(snapshot, { views: [view], range: '7d', recent })
      const timeline = drawn.get(computeKey(view.identity.ref))
      return timeline && computePage({ view, timeline, now: snapshot.takenAt }, context)
    },
  }
}

const priceOf =
  ({ pricesOf }: PageSources, { takenAt }: Snapshot) =>
  (account: string): Micros => {
    const prices = pricesOf(account)
    return prices ? priceAt(prices, takenAt) : micros(0)
  }
