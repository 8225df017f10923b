// Every format of a report, by name.
import type { ReportFormat } from '../../../model/output/report.ts'
import type { Steps } from '../../../std/cooperative.ts'
import { csvOf } from './csv-report.ts'
import { fullHtmlOf } from './full-html.ts'
import { htmlOf } from './html.ts'
import { jsonOf } from './json.ts'
import { markdownOf } from './markdown.ts'
import { slackOf } from './slack.ts'
import type { Report } from '../schema.ts'
import { textOf } from './text.ts'

export type Rendering = {
  readonly contentType: string
  /** What files of it end in. */
  readonly ending: string
  readonly of: (report: Report) => Steps<string>
}

/** Tells of so few rows that it takes a moment, whatever the fleet. */
const inOneStep = (of: (report: Report) => string): Rendering['of'] =>
  // oxlint-disable-next-line require-yield -- there is nothing to be interrupted
  function* told(report) {
    return of(report)
  }

export const RENDERINGS: Readonly<Record<ReportFormat, Rendering>> = {
  markdown: { contentType: 'text/markdown; charset=utf-8', ending: 'md', of: inOneStep(markdownOf) },
  json: { contentType: 'application/json', ending: 'json', of: jsonOf },
  text: { contentType: 'text/plain; charset=utf-8', ending: 'txt', of: inOneStep(textOf) },
  html: { contentType: 'text/html; charset=utf-8', ending: 'html', of: inOneStep(htmlOf) },
  'html-full': { contentType: 'text/html; charset=utf-8', ending: 'html', of: inOneStep(fullHtmlOf) },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', ending: 'csv', of: csvOf },
  slack: { contentType: 'application/json', ending: 'json', of: inOneStep(slackOf) },
}
