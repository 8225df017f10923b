// A report as it is sent.
import type { Message } from '../model/message.ts'
import type { ReportFormat, StoredReport } from '../model/report.ts'
import { RENDERINGS } from '../report/formats.ts'
import type { Report } from '../report/schema.ts'

const ENDING: Readonly<Record<ReportFormat, string>> = {
  markdown: 'md',
  json: 'json',
  text: 'txt',
  html: 'html',
  csv: 'csv',
  slack: 'json',
}

/** Formats that a mail does not show by itself. */
const ATTACHED: ReadonlySet<ReportFormat> = new Set(['csv', 'json', 'markdown'])

export type ReportRecipient = {
  readonly sink: string
  readonly type: 'webhook' | 'slack' | 'smtp' | 'file'
  readonly format: ReportFormat
}

export function reportMessage(
  { account, slot, json }: StoredReport,
  { sink, type, format }: ReportRecipient,
): Message {
  const report = JSON.parse(json) as Report
  const { contentType, of } = RENDERINGS[format]
  const file = {
    name: `dormouse-${account}-${slot.id}.${ENDING[format]}`,
    type: contentType,
    body: of(report),
  }
  const isMail = type === 'smtp'
  return {
    key: `${account}/${slot.id}/${sink}`,
    account,
    slot: slot.id,
    subject: `Dormouse report ${slot.id}, account ${account}${slot.late ? ' (late)' : ''}`,
    text: RENDERINGS.text.of(report),
    ...(isMail ? { html: RENDERINGS.html.of(report) } : {}),
    body: format === 'json' ? report : { slot: slot.id, account, format, content: file.body },
    ...(type === 'slack' ? { slack: JSON.parse(RENDERINGS.slack.of(report)) as object } : {}),
    attachments: isMail && !ATTACHED.has(format) ? [] : [file],
  }
}
