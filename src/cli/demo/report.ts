import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askDaemon, type DaemonApi } from '../connect/daemon.ts'

/** Created at the start, so that a problem shows at once. @throws when it cannot be created */
export function reportFolder(requested: string | undefined): string {
  if (requested === undefined) return mkdtempSync(join(tmpdir(), 'dormouse-report-'))
  mkdirSync(requested, { recursive: true })
  return requested
}

export type DemoReport = Readonly<{ markdown: string; html: string }>

const NAMES = { markdown: 'report.md', html: 'report.html' } as const

/** Lets the daemon make and send the report of last week, as its schedule does on Mondays. @returns whether it could */
export const sendReport = async (api: DaemonApi): Promise<boolean> =>
  (await askDaemon(api, '/api/v1/report/send', { method: 'POST' })).ok

/** Report of last week; undefined if the daemon does not answer. */
export async function writeDemoReport(apiUrl: string, folder: string): Promise<DemoReport | undefined> {
  const write = async (format: keyof typeof NAMES): Promise<string | undefined> => {
    const answer = await askDaemon({ url: apiUrl }, `/api/v1/report?format=${format}`)
    if (!answer.ok) return undefined
    const file = join(folder, NAMES[format])
    writeFileSync(file, await answer.value.text())
    return file
  }
  const [markdown, html] = [await write('markdown'), await write('html')]
  return markdown !== undefined && html !== undefined ? { markdown, html } : undefined
}
