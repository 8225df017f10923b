// Every format of a report, by name.
import type { ReportFormat } from '../../../model/output/report.ts'
import type { Cooperative } from '../../../std/cooperative.ts'
import { renderCsv } from './csv-report.ts'
import { renderFullHtml } from './full-html.ts'
import { renderMailHtml } from './html.ts'
import { renderJson } from './json.ts'
import { renderMarkdown } from './markdown.ts'
import { renderSlack } from './slack.ts'
import type { Report } from '../schema.ts'
import { renderText } from './text.ts'

export type ReportRendering = {
  readonly contentType: string
  /** What files of it end in. */
  readonly ending: string
  readonly of: (report: Report) => Cooperative<string>
}

/** Tells of so few rows that it takes a moment, whatever the fleet. */
const inOneStep = (of: (report: Report) => string): ReportRendering['of'] =>
  // oxlint-disable-next-line require-yield -- there is nothing to be interrupted
  function* told(report) {
    return of(report)
  }

export const REPORT_RENDERINGS: Readonly<Record<ReportFormat, ReportRendering>> = {
  markdown: { contentType: 'text/markdown; charset=utf-8', ending: 'md', of: inOneStep(renderMarkdown) },
  json: { contentType: 'application/json', ending: 'json', of: renderJson },
  text: { contentType: 'text/plain; charset=utf-8', ending: 'txt', of: inOneStep(renderText) },
  html: { contentType: 'text/html; charset=utf-8', ending: 'html', of: inOneStep(renderMailHtml) },
  'html-full': { contentType: 'text/html; charset=utf-8', ending: 'html', of: inOneStep(renderFullHtml) },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', ending: 'csv', of: renderCsv },
  slack: { contentType: 'application/json', ending: 'json', of: inOneStep(renderSlack) },
}
