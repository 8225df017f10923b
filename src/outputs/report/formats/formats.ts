import type { ReportFormat } from '../../../model/output/report.ts'
import { renderCsv } from './csv-report.ts'
import { renderFullHtml } from './full-html.ts'
import { renderMailHtml } from './html.ts'
import { renderJson } from './json.ts'
import { renderMarkdown } from './markdown.ts'
import { renderSlack } from './slack.ts'
import type { ReportOutline } from '../blocks.ts'
import { buildOutline } from '../outline.ts'
import type { Report } from '../schema.ts'
import { renderText } from './text.ts'

type ReportRendering = Readonly<{
  contentType: string
  /** Without the dot. */
  ending: string
  /** Texts of at most 500 computes each. */
  render: (report: Report) => readonly string[]
}>

const fromOutline =
  (render: (outline: ReportOutline) => string): ReportRendering['render'] =>
  (report) => [render(buildOutline(report))]

export const REPORT_RENDERINGS: Readonly<Record<ReportFormat, ReportRendering>> = {
  markdown: {
    contentType: 'text/markdown; charset=utf-8',
    ending: 'md',
    render: fromOutline(renderMarkdown),
  },
  json: { contentType: 'application/json', ending: 'json', render: renderJson },
  text: { contentType: 'text/plain; charset=utf-8', ending: 'txt', render: fromOutline(renderText) },
  html: { contentType: 'text/html; charset=utf-8', ending: 'html', render: fromOutline(renderMailHtml) },
  'html-full': {
    contentType: 'text/html; charset=utf-8',
    ending: 'html',
    render: (report) => [renderFullHtml(report)],
  },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', ending: 'csv', render: renderCsv },
  slack: { contentType: 'application/json', ending: 'json', render: fromOutline(renderSlack) },
}
