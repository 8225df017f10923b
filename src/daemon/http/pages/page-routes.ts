// The status page, read-only.
import type { Context, Hono } from 'hono'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import { budgetsPage } from '../../../outputs/page/budgets.ts'
import { documentHtml, renderHtml, type PageContent } from '../../../outputs/page/layout.ts'
import type { BudgetPlanJson } from '../../../outputs/text/change-schema.ts'
import { html } from '../../../outputs/text/html.ts'
import { planBudget, PRICED_ON_PAGE } from '../../changes/steps/plan-budget.ts'
import { streamPieces } from '../answers.ts'
import { readChangesPage } from './changes-page.ts'
import { createComputePages } from './compute-pages.ts'
import type { PageSources } from './page-sources.ts'
import { readRecommendationsPage } from './recommendation-page.ts'
import { createReportPage } from './report-page.ts'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type PageStatus = 200 | 404 | 503
type Answer = Response | Promise<Response>

export function pageRoutes(app: Hono, sources: PageSources): void {
  const { zone, mode, appliesChanges } = sources
  const { style, script } = readAssets()
  const pageContext = { zone, mode, appliesChanges, style: style.path, script: script.path }
  const { fleet, compute } = createComputePages(sources, pageContext)
  const reportPage = createReportPage(sources)
  const sendPage = (context: Context, page: PageContent, status: PageStatus = 200) =>
    sendDocument(context, renderHtml(documentHtml(page, sources.snapshot(), pageContext)), status)
  /** Answers that there is no snapshot yet, else as `respond` does. */
  const withSnapshot = (context: Context, path: string, respond: (snapshot: Snapshot) => Answer): Answer => {
    const snapshot = sources.snapshot()
    return snapshot ? respond(snapshot) : sendPage(context, startingPage(path), 503)
  }

  for (const asset of [style, script]) app.get(asset.path, (context) => sendAsset(context, asset))
  app.get('/', (context, next) => {
    if (!acceptsHtml(context)) return next()
    return withSnapshot(context, '/', (snapshot) => sendParts(context, fleet(snapshot, context.req.query())))
  })
  app.get('/budgets', (context) =>
    withSnapshot(context, '/budgets', async (snapshot) => {
      const plans = await readBudgetPlans(sources, snapshot)
      return sendPage(context, budgetsPage(snapshot, { ...pageContext, plans }))
    }),
  )
  app.get('/recommendations', (context) =>
    withSnapshot(context, '/recommendations', async (snapshot) => {
      const page = await readRecommendationsPage(sources, snapshot, {
        parameters: context.req.query(),
        zone,
      })
      return sendPage(context, page)
    }),
  )
  app.get('/changes', (context) =>
    withSnapshot(context, '/changes', async (snapshot) => {
      const parameters = context.req.query()
      return sendPage(context, await readChangesPage(sources.changes, snapshot, { parameters, zone }))
    }),
  )
  app.get('/report', (context) =>
    withSnapshot(context, '/report', async ({ accounts }) => {
      const query = context.req.query()
      const names = accounts.map(({ account }) => account)
      const result = await reportPage(query, names)
      if (result) return sendPage(context, result.page, result.isFound ? 200 : 404)
      return sendPage(context, missingAccountPage(query['account'] ?? ''), 404)
    }),
  )
  app.get('/computes/:id', (context) =>
    withSnapshot(context, '/computes', async (snapshot) => {
      const endpointId = context.req.param('id')
      const page = await compute(snapshot, endpointId)
      return page ? sendPage(context, page) : sendPage(context, missingComputePage(endpointId), 404)
    }),
  )
  app.get('*', (context, next) => {
    const { path } = context.req
    if (path === '/' || PROGRAM_PATH.test(path) || !acceptsHtml(context)) return next()
    return sendPage(context, messagePage('No such page', `There is nothing at ${path}.`), 404)
  })
}

/** Streams; a client that knows a version of the document gets the whole, or 304. */
async function sendParts(context: Context, parts: AsyncIterable<string>) {
  if (context.req.header('if-none-match') !== undefined)
    return sendDocument(context, (await Array.fromAsync(parts)).join(''), 200)
  return context.body(streamPieces(context, parts), 200, {
    ...HEADERS,
    'content-type': 'text/html; charset=UTF-8',
  })
}

function sendDocument(context: Context, text: string, status: PageStatus) {
  const etag = `"${contentHash(text)}"`
  const headers = { ...HEADERS, etag }
  return isKnown(context.req.header('if-none-match'), etag)
    ? context.body(null, 304, headers)
    : context.html(text, status, headers)
}

/** A proxy that compresses makes a tag weak. Source: RFC 9110, "If-None-Match". */
const isKnown = (header: string | undefined, etag: string) =>
  header?.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, ''))) === true

/** Defence in depth: markup in a name could neither run nor send anything. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept',
}

const sendAsset = (context: Context, { body, type }: Asset) =>
  context.body(body, 200, {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=31536000, immutable',
  })

/** Browsers name HTML; programs that accept anything get JSON. */
const acceptsHtml = (context: Context) => (context.req.header('accept') ?? '').includes('text/html')

/** Paths for programs: their 404 is JSON too. */
const PROGRAM_PATH = /^\/(?:api|-|assets)\//

type MessageOptions = Readonly<{
  /** Path of the missing page. */
  path?: string
  links?: readonly (readonly [path: string, name: string])[]
}>

const messagePage = (
  title: string,
  message: string,
  { path = '', links = [['/', 'All computes']] }: MessageOptions = {},
): PageContent => ({
  title,
  path,
  main: html`<h1>${title}</h1>
    <p class="nothing"><bdi>${message}</bdi></p>
    ${links.map(([to, name]) => html`<p><a href="${to}">${name}</a></p>`)}`,
})

const startingPage = (path: string) =>
  messagePage('One moment', 'The first pass is still running. This page reloads itself.', { path, links: [] })

const missingComputePage = (id: string) =>
  messagePage('No such compute', `Dormouse sees no compute ${id}: it does not exist, or was deleted.`)

const missingAccountPage = (account: string) =>
  messagePage('No such account', `No account is called ${account}.`, {
    path: '/report',
    links: [['/report', 'Reports']],
  })

export type Asset = Readonly<{ path: string; body: string; type: string }>

const FOLDER = join(import.meta.dirname, '../../../outputs/page')

/** In order: of rules with equal specificity the later one applies. */
const STYLES = ['frame', 'text', 'sections', 'figures', 'tables', 'fleet', 'timelines', 'charts']

/** Style sheets as one: a browser waits for one response only. */
export const readStyle = (): string => STYLES.map((name) => read(`style/${name}.css`)).join('')

export const readAssets = () => ({
  style: assetOf('style.css', readStyle(), 'text/css; charset=utf-8'),
  script: assetOf('script.js', read('script.js'), 'text/javascript; charset=utf-8'),
})

const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8')

const assetOf = (name: string, body: string, type: string): Asset => ({
  path: `/assets/${name.replace('.', `-${contentHash(body)}.`)}`,
  body,
  type,
})

/** 16 characters that are safe in a URL. */
export const contentHash = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16)

/** By the name of the budget. */
async function readBudgetPlans(
  { budgetPlans }: PageSources,
  snapshot: Snapshot,
): Promise<ReadonlyMap<string, BudgetPlanJson>> {
  if (!budgetPlans) return new Map()
  const names = snapshot.accounts.flatMap(({ budgets }) => budgets.map(({ name }) => name))
  const answers = names.map((name) => planBudget(budgetPlans, snapshot, { name, mostPriced: PRICED_ON_PAGE }))
  const plans = (await Promise.all(answers)).flatMap((plan) => (plan.ok ? [plan.value] : []))
  return new Map(plans.map((plan) => [plan.budget, plan]))
}
