// The weekly report, made when it is asked for.
import { setImmediate } from 'node:timers/promises'
import type { Context, Hono } from 'hono'
import type { Clock } from '../../../model/ports.ts'
import type { ReportFormat } from '../../../model/output/report.ts'
import { inTurns, type Steps } from '../../../std/cooperative.ts'
import { RENDERINGS } from '../../../outputs/report/formats/formats.ts'
import { reportJsonSchema } from '../../../outputs/report/schema.ts'
import { keptList, keptRequestOf, keptText, type KeptReports } from '../../reports/archive.ts'
import { makeReport, type ReportSource } from '../../reports/build.ts'
import { reportRequestOf } from '../../reports/query.ts'
import { problem } from '../problem.ts'

export type Reported = {
  readonly clock: Clock
  /** Those that were made when they were due, or by hand. */
  readonly kept: KeptReports
  /** What the reports of each account are made of, as it is now. */
  readonly reports: () => ReadonlyMap<string, ReportSource>
  /** Makes the last week's anew and sends it; undefined where nobody is sent reports now. Its slot, or undefined where too many were asked for. */
  readonly sender?: () => ((account: string) => Promise<string | undefined>) | undefined
}

/** The HTML has styles in it, and nothing else. */
const NOTHING_RUNS = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" }

export function reportRoutes(app: Hono, { clock, kept, reports, sender }: Reported): void {
  app.get('/api/v1/report', async (context) => {
    const sources = reports()
    const now = clock.now()
    const [first] = sources.values()
    if (!first) return context.json(problem('there is no account'), 404)
    if (context.req.query('kept') === 'true') return keptAnswer(context, kept, [...sources.keys()])
    const request = reportRequestOf(context.req.query(), {
      accounts: [...sources.keys()],
      zone: first.zone,
      now,
    })
    if (!request.ok) return context.json(problem(request.error), 400)
    const { account, slot, format } = request.value
    const report = await makeReport(sources.get(account) ?? first, slot, now)
    return reportAnswer(context, format, RENDERINGS[format].of(report))
  })
  app.get('/api/v1/reports', async (context) => {
    const list = await keptList(kept, context.req.query(), [...reports().keys()])
    return list.ok ? context.json(list.value) : context.json(problem(list.error), 400)
  })
  app.post('/api/v1/report/send', async (context) => {
    const names = [...reports().keys()]
    const account = context.req.query('account') ?? names[0]
    if (account === undefined || !names.includes(account))
      return context.json(problem(`account: expected one of ${names.join(', ')}`), 400)
    const sendReport = sender?.()
    if (!sendReport) return context.json(problem('report.sinks names nobody to send it to'), 409)
    const slot = await sendReport(account)
    return slot === undefined
      ? context.json(problem('too many reports of this week were asked for'), 429)
      : context.json({ account, slot }, 202)
  })
  app.get('/api/v1/schema/report', (context) => context.json(reportJsonSchema()))
}

async function keptAnswer(
  context: Context,
  kept: KeptReports,
  accounts: readonly string[],
): Promise<Response> {
  const request = keptRequestOf(context.req.query(), accounts)
  if (!request.ok) return context.json(problem(request.error), 400)
  const text = await keptText(kept, request.value)
  return text.ok
    ? reportAnswer(context, request.value.format, text.value)
    : context.json(problem(text.error), 404)
}

async function reportAnswer(context: Context, format: ReportFormat, steps: Steps<string>): Promise<Response> {
  const text = await inTurns(steps, () => setImmediate())
  const { contentType } = RENDERINGS[format]
  return context.body(text, 200, { ...NOTHING_RUNS, 'content-type': contentType })
}
