// A report as it is sent.
import { setImmediate } from 'node:timers/promises'
import type { Attachment, Message } from '../../model/output/message.ts'
import type { ReportFormat, StoredReport } from '../../model/output/report.ts'
import { runYielding, type Cooperative } from '../../std/cooperative.ts'
import { REPORT_RENDERINGS } from '../../outputs/report/formats/formats.ts'
import { parseReport } from '../../outputs/report/formats/json.ts'
import { displayName } from '../../outputs/text/display-name.ts'

/** What comes with a mail that shows the HTML itself: the same with charts and all computes, or the format that is asked for. */
const ATTACHED: Readonly<Record<ReportFormat, ReportFormat | undefined>> = {
  html: 'html-full',
  'html-full': 'html-full',
  csv: 'csv',
  json: 'json',
  markdown: 'markdown',
  text: undefined,
  slack: undefined,
}

export type ReportReceiver = {
  readonly sink: string
  readonly type: 'webhook' | 'slack' | 'smtp' | 'file'
  readonly format: ReportFormat
}

/** With turns of the event loop in between: that of a large fleet takes some tenths of a second. */
export async function reportMessage(stored: StoredReport, recipient: ReportReceiver): Promise<Message> {
  const { account, slot, team } = stored
  const { sink, type, format } = recipient
  const report = await shared(parseReport(stored.json))
  const of = async (one: ReportFormat): Promise<string> => shared(REPORT_RENDERINGS[one].of(report))
  const part = team === undefined ? '' : `, team ${displayName(team)}`
  const message = {
    key: `${account}/${slot.id}/${sink}`,
    account,
    slot: slot.id,
    subject: `Dormouse report ${slot.id}, account ${account}${part}${slot.late ? ' (late)' : ''}`,
    text: await of('text'),
    body: '',
    attachments: [],
  }
  const file = async (one: ReportFormat): Promise<Attachment> => attachmentOf(stored, one, await of(one))
  switch (type) {
    case 'file':
      return { ...message, attachments: [await file(format)] }
    case 'webhook':
      return { ...message, body: await webhookBody(stored, format, of) }
    case 'slack':
      return { ...message, slack: JSON.parse(await of('slack')) as object }
    case 'smtp': {
      const attached = ATTACHED[format]
      return { ...message, html: await of('html'), attachments: attached ? [await file(attached)] : [] }
    }
  }
}

const shared = <Result>(steps: Cooperative<Result>): Promise<Result> =>
  runYielding(steps, () => setImmediate())

type Rendered = (format: ReportFormat) => Promise<string>

const attachmentOf = (
  { account, slot, team }: StoredReport,
  format: ReportFormat,
  body: string,
): Attachment => ({
  name: `dormouse-${[account, slot.id, ...(team === undefined ? [] : [team.replaceAll('/', '-')])].join('-')}.${REPORT_RENDERINGS[format].ending}`,
  type: REPORT_RENDERINGS[format].contentType,
  body,
})

/** As JSON it is the text that is kept: nothing is made of it anew. */
const webhookBody = async (
  { account, slot, json }: StoredReport,
  format: ReportFormat,
  of: Rendered,
): Promise<Message['body']> =>
  format === 'json' ? json : { slot: slot.id, account, format, content: await of(format) }
