import type { Receiver } from '../../config/sections/receiver.ts'
import type { Attachment, Message } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { ReportFormat, StoredReport } from '../../model/output/report.ts'
import { REPORT_RENDERINGS } from '../../outputs/report/formats/formats.ts'
import { parseReport } from '../../outputs/report/formats/json.ts'
import { displayName } from '../../outputs/text/display-name.ts'

/** By the configured format of a mail. The mail itself is HTML; `html` attaches the version with charts and all computes. */
const ATTACHED_FORMAT: Readonly<Record<ReportFormat, ReportFormat | undefined>> = {
  html: 'html-full',
  'html-full': 'html-full',
  csv: 'csv',
  json: 'json',
  markdown: 'markdown',
  text: undefined,
  slack: undefined,
}

export type ReportReceiver = Readonly<{
  sink: string
  type: Receiver['type']
  format: ReportFormat
}>

export async function reportMessage(
  stored: StoredReport,
  { sink, type, format }: ReportReceiver,
  clock: Pick<Clock, 'yield'>,
): Promise<Message> {
  const { account, slot, team } = stored
  const report = parseReport(stored.json)
  const render = async (wanted: ReportFormat) => {
    await clock.yield()
    return REPORT_RENDERINGS[wanted].render(report).join('')
  }
  const fileName = ['dormouse', account, slot.id, ...(team === undefined ? [] : [team.replaceAll('/', '-')])]
  const attach = async (wanted: ReportFormat): Promise<Attachment> => ({
    name: `${fileName.join('-')}.${REPORT_RENDERINGS[wanted].ending}`,
    type: REPORT_RENDERINGS[wanted].contentType,
    body: await render(wanted),
  })
  const part = team === undefined ? '' : `, team ${displayName(team)}`
  const message = {
    key: `${account}/${slot.id}/${sink}`,
    account,
    slot: slot.id,
    subject: `Dormouse report ${slot.id}, account ${account}${part}${slot.late ? ' (late)' : ''}`,
    text: await render('text'),
    body: '',
    attachments: [],
  }
  switch (type) {
    case 'file':
      return { ...message, attachments: [await attach(format)] }
    case 'webhook':
      // as JSON it is the stored text itself
      if (format === 'json') return { ...message, body: stored.json }
      return { ...message, body: { slot: slot.id, account, format, content: await render(format) } }
    case 'slack':
      return { ...message, slack: JSON.parse(await render('slack')) as object }
    case 'smtp': {
      const attached = ATTACHED_FORMAT[format]
      return { ...message, html: await render('html'), attachments: attached ? [await attach(attached)] : [] }
    }
  }
}
