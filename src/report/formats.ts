// Every format of a report, by name.
import type { ReportFormat } from '../model/report.ts'
import { csvOf } from './csv-report.ts'
import { htmlOf } from './html.ts'
import { markdownOf } from './markdown.ts'
import { slackOf } from './slack.ts'
import type { Report } from './schema.ts'
import { textOf } from './text.ts'

export type Rendering = { readonly contentType: string; readonly of: (report: Report) => string }

export const RENDERINGS: Readonly<Record<ReportFormat, Rendering>> = {
  markdown: { contentType: 'text/markdown; charset=utf-8', of: markdownOf },
  json: {
    contentType: 'application/json',
    of: (report) => `${JSON.stringify(report, undefined, 2)}\n`,
  },
  text: { contentType: 'text/plain; charset=utf-8', of: textOf },
  html: { contentType: 'text/html; charset=utf-8', of: htmlOf },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', of: csvOf },
  slack: { contentType: 'application/json', of: slackOf },
}
