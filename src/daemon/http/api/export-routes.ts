// The history as a file.
import type { Hono } from 'hono'
import type { History } from '../../../model/ports/history.ts'
import { exportRequestOf } from '../../history/export-query.ts'
import { exportText, type ExportedAccount, type ExportRequest } from '../../history/export.ts'
import { streamText } from '../streaming.ts'
import { problemBody } from '../problem.ts'

export type ExportSources = {
  readonly history: History
  readonly accounts: () => readonly ExportedAccount[]
}

export function exportRoutes(app: Hono, { history, accounts }: ExportSources): void {
  app.get('/api/v1/export', (context) => {
    const request = exportRequestOf(context.req.query())
    if (!request.ok) return context.json(problemBody(request.error), 400)
    const text = exportText(history, accounts(), request.value)
    return context.body(streamText(text), 200, { 'content-type': CONTENT_TYPE[request.value.format] })
  })
}

const CONTENT_TYPE = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
} as const satisfies Record<ExportRequest['format'], string>
