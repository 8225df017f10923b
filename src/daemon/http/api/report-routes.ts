import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { Clock } from '../../../model/ports/clock.ts'
import { REPORT_RENDERINGS } from '../../../outputs/report/formats/formats.ts'
import { reportJsonSchema } from '../../../outputs/report/schema.ts'
import { buildReport, type ReportSource } from '../../reports/build.ts'
import type { ReportArchive } from '../../reports/requests.ts'
import {
  archivedReportTexts,
  listArchive,
  parseAccount,
  parseArchiveRequest,
  parseFlag,
  parseReportRequest,
} from '../../reports/requests.ts'
import { refuse, streamText } from '../answers.ts'

export type ReportSources = Readonly<{
  clock: Clock
  archive: ReportArchive
  /** By account. */
  reports: () => ReadonlyMap<string, ReportSource>
  /** Sends last week's report; resolves to its slot, or to undefined after too many requests. Absent without receivers. */
  sender?: () => ((account: string) => Promise<string | undefined>) | undefined
}>

export function reportRoutes(app: Hono, { clock, archive, reports, sender }: ReportSources): void {
  app.get('/api/v1/report', limitRunning(MAX_REPORTS), async (context) => {
    const sources = reports()
    const now = clock.now()
    const [first] = sources.values()
    if (!first) return refuse(context, 404, 'there is no account')
    const accounts = [...sources.keys()]
    const isKept = parseFlag('kept', context.req.query('kept'))
    if (!isKept.ok) return refuse(context, 400, isKept.error)
    if (isKept.value) return archivedAnswer(context, archive, accounts)
    const request = parseReportRequest(context.req.query(), { accounts, zone: first.zone, now })
    if (!request.ok) return refuse(context, 400, request.error)
    const { account, slot, format } = request.value
    const report = await buildReport(sources.get(account) ?? first, { slot, madeAt: now }, clock)
    return reportAnswer(context, format, REPORT_RENDERINGS[format].render(report))
  })
  app.get('/api/v1/reports', async (context) => {
    const list = await listArchive(archive, context.req.query(), [...reports().keys()])
    return list.ok ? context.json(list.value) : refuse(context, 400, list.error)
  })
  app.post('/api/v1/report/send', async (context) => {
    const account = parseAccount(context.req.query(), [...reports().keys()])
    if (!account.ok) return refuse(context, 400, account.error)
    const sendReport = sender?.()
    if (!sendReport) return refuse(context, 409, 'report.sinks names nobody to send it to')
    const slot = await sendReport(account.value)
    return slot === undefined
      ? refuse(context, 429, 'too many reports of this week were asked for')
      : context.json({ account: account.value, slot }, 202)
  })
  app.get('/api/v1/schema/report', (context) => context.json(reportJsonSchema()))
}

/** Reports in the making: each reads weeks of history, and has the sums of every compute in memory. */
const MAX_REPORTS = 2
/** Seconds after which a refused client may ask again. */
const REPORT_RETRY = '5'

function limitRunning(limit: number): MiddlewareHandler {
  let running = 0
  return async (context, next) => {
    if (running >= limit) {
      context.header('retry-after', REPORT_RETRY)
      return refuse(context, 429, `${limit} reports are being made, ask again later`)
    }
    running += 1
    try {
      return await next()
    } finally {
      running -= 1
    }
  }
}

async function archivedAnswer(context: Context, archive: ReportArchive, accounts: readonly string[]) {
  const request = parseArchiveRequest(context.req.query(), accounts)
  if (!request.ok) return refuse(context, 400, request.error)
  const texts = await archivedReportTexts(archive, request.value)
  return texts.ok
    ? reportAnswer(context, request.value.format, texts.value)
    : refuse(context, 404, texts.error)
}

const reportAnswer = (context: Context, format: keyof typeof REPORT_RENDERINGS, texts: readonly string[]) =>
  context.body(streamText(context, texts), 200, {
    // the HTML has inline styles and loads nothing
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'content-type': REPORT_RENDERINGS[format].contentType,
  })
