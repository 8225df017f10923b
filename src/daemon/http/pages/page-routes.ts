// The status page: what the last pass saw, for people. It only shows: nothing on it changes anything.
import { setImmediate } from 'node:timers/promises'
import type { Context, Hono } from 'hono'
import { priceAt } from '../../../ledger/settle/slices.ts'
import type { Zone } from '../../../calendar/zone.ts'
import { computeKey, type ComputeRef } from '../../../model/service/compute.ts'
import type { ComputeEntry } from '../../../model/ledger/ledger.ts'
import type { Clock } from '../../../model/ports/clock.ts'
import type { History } from '../../../model/ports/history.ts'
import type { Prices } from '../../../model/ledger/price.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { lastHours } from '../../../model/time.ts'
import { micros, type Instant } from '../../../model/units.ts'
import { budgetsPage } from '../../../outputs/page/budgets.ts'
import { computePage } from '../../../outputs/page/compute.ts'
import { selectedRowsOf, fleetPageParts, type LoadTimelines } from '../../../outputs/page/fleet.ts'
import { renderDocument, type PageContent } from '../../../outputs/page/layout.ts'
import { messagePage } from '../../../outputs/page/message-page.ts'
import { fleetQuery, RANGE_HOURS, type Range } from '../../../outputs/page/query.ts'
import type { RecentSumsTable } from '../../../outputs/page/recent-sums.ts'
import { SLOT } from '../../../outputs/text/html.ts'
import type { AwakeTimeline } from '../../../outputs/charts/timeline.ts'
import { createRecentSums } from '../../history/recent-sums.ts'
import { createAwakeTimelines } from '../../history/awake-timelines.ts'
import { contentHash, readAssets, type Asset } from './assets.ts'
import type { ReportArchive } from '../../reports/archive.ts'
import { createReportPage } from './report-page.ts'

export type PageSources = {
  readonly snapshot: () => Snapshot | undefined
  readonly history: Pick<History, 'days' | 'awakeTimes'>
  readonly kept: ReportArchive
  readonly accountOf: (ref: ComputeRef) => ComputeEntry | undefined
  readonly pricesOf: (account: string) => Prices | undefined
  readonly clock: Clock
  readonly zone: Zone
  readonly mode: string
  /** When a report is made after `now`. */
  readonly nextReportAt: (now: Instant) => Instant | undefined
}

export function pageRoutes(app: Hono, paged: PageSources): void {
  const { snapshot, clock, zone, mode } = paged
  const { style, script } = readAssets()
  const house = { zone, mode, style: style.path, script: script.path }
  const askRecent = createRecentSums({ history: paged.history, clock, zone })
  const strips = createAwakeTimelines(paged)
  const showReport = createReportPage(paged, zone)

  const answer = async (context: Context, page: PageContent, status: 200 | 404 | 503): Promise<Response> => {
    const parts = renderDocument(page, snapshot(), house)
    const known = context.req.header('if-none-match')
    if (page.rest && known === undefined)
      return context.body(ReadableStream.from(paced(parts)), status, { ...HEADERS, 'content-type': HTML })
    const text = (await Array.fromAsync(parts)).join('')
    const etag = `"${contentHash(text)}"`
    const headers = { ...HEADERS, etag }
    return known === etag ? context.body(null, 304, headers) : context.html(text, status, headers)
  }
  const recentAt = (taken: Snapshot): Promise<RecentSumsTable | undefined> =>
    askRecent(
      taken.accounts.map(({ account }) => account),
      taken.takenAt,
    )
  const stripsOf = (
    taken: Snapshot,
    {
      views,
      range,
      recent,
    }: {
      readonly views: readonly ComputeView[]
      readonly range: Range
      readonly recent: RecentSumsTable | undefined
    },
  ): Promise<ReadonlyMap<string, AwakeTimeline>> =>
    strips({
      span: lastHours(taken.takenAt, RANGE_HOURS[range]),
      views,
      knownFrom: recent?.knownFrom ?? new Map(),
      sweptAt: new Map(
        taken.accounts.map(({ account, lastSweepAt }) => [account, lastSweepAt ?? taken.takenAt]),
      ),
    })
  const fleetOf = (taken: Snapshot, given: Readonly<Record<string, string>>): PageContent => ({
    title: 'Fleet',
    path: '/',
    main: SLOT,
    rest: async function* rest() {
      const query = fleetQuery(given)
      const recent = await recentAt(taken)
      const fleet = { snapshot: taken, query, recent, priceOf: pricesAt(paged, taken) }
      const shown = selectedRowsOf(fleet)
      const drawn: LoadTimelines = (views) =>
        stripsOf(taken, { views, range: query.range, recent }).catch(() => NO_STRIPS)
      yield* fleetPageParts(fleet, { shown, strips: drawn, house })
    },
  })
  const computeOf = async (taken: Snapshot, id: string): Promise<PageContent | undefined> => {
    const view = taken.computes.find(({ ref }) => ref.endpointId === id)
    if (!view) return undefined
    const all = await stripsOf(taken, { views: [view], range: '7d', recent: await recentAt(taken) })
    const strip = all.get(computeKey(view.ref))
    return strip && computePage({ view, strip, now: taken.takenAt }, house)
  }

  for (const asset of [style, script]) app.get(asset.path, (context) => assetAnswer(context, asset))
  app.get('/', async (context, next) => {
    if (!wantsHtml(context)) return next()
    const taken = snapshot()
    if (!taken) return answer(context, notYet('/'), 503)
    return answer(context, fleetOf(taken, context.req.query()), 200)
  })
  app.get('/budgets', (context) => {
    const taken = snapshot()
    return taken ? answer(context, budgetsPage(taken, house), 200) : answer(context, notYet('/budgets'), 503)
  })
  app.get('/report', async (context) => {
    const taken = snapshot()
    if (!taken) return answer(context, notYet('/report'), 503)
    const asked = context.req.query()
    const shown = await showReport(
      asked,
      taken.accounts.map(({ account }) => account),
    )
    if (!shown)
      return answer(
        context,
        messagePage({
          title: 'No such account',
          message: `No account is called ${asked['account'] ?? ''}.`,
          path: '/report',
          ways: [['/report', 'Reports']],
        }),
        404,
      )
    return answer(context, shown.page, shown.isFound ? 200 : 404)
  })
  app.get('/computes/:id', async (context) => {
    const taken = snapshot()
    if (!taken) return answer(context, notYet('/computes'), 503)
    const id = context.req.param('id')
    const page = await computeOf(taken, id)
    return page
      ? answer(context, page, 200)
      : answer(
          context,
          messagePage({
            title: 'No such compute',
            message: `Dormouse sees no compute ${id}: there is none, or not any more.`,
          }),
          404,
        )
  })
  app.get('*', (context, next) => {
    const { path } = context.req
    if (path === '/' || FOR_PROGRAMS.test(path) || !wantsHtml(context)) return next()
    return answer(
      context,
      messagePage({ title: 'No such page', message: `There is nothing at ${path}.` }),
      404,
    )
  })
}

/** What was sent cannot be taken back: a page goes on without them rather than end in its middle. */
const NO_STRIPS: ReadonlyMap<string, AwakeTimeline> = new Map()

const HTML = 'text/html; charset=UTF-8'

/** Each is on its way before the next is made; others get a turn between them. */
async function* paced(parts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    yield Buffer.from(part)
    await setImmediate()
  }
}

/** What programs ask for is answered in JSON, also where there is nothing. */
const FOR_PROGRAMS = /^\/(?:api|-|assets)\//

const notYet = (path: string): PageContent =>
  messagePage({
    title: 'One moment',
    message: 'Dormouse is asking the service for the first time; this page renews itself.',
    path,
    ways: [],
  })

/** Whatever a name were to smuggle in, a browser would neither run it nor send anything anywhere. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept',
}

/** A browser names it; programs that take anything get links. */
const wantsHtml = (context: Context): boolean => (context.req.header('accept') ?? '').includes('text/html')

const assetAnswer = (context: Context, { body, type }: Asset): Response =>
  context.body(body, 200, {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=31536000, immutable',
  })

const pricesAt =
  ({ pricesOf }: PageSources, { takenAt }: Snapshot) =>
  (account: string) => {
    const prices = pricesOf(account)
    return prices ? priceAt(prices, takenAt) : micros(0)
  }
