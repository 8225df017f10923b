// What the demo leaves behind: the report of the running week.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isoWeekIdOf } from '../../calendar/iso-week.ts'
import { createUtc } from '../../calendar/zone.ts'
import type { Instant } from '../../model/units.ts'
import { askDaemon } from '../connect/daemon.ts'

/** Where the report will be, made now: a folder that cannot be made is no surprise at the end. @throws when it cannot */
export function reportFolder(wanted: string | undefined): string {
  if (wanted === undefined) return mkdtempSync(join(tmpdir(), 'dormouse-report-'))
  mkdirSync(wanted, { recursive: true })
  return wanted
}

/** Paths. */
export type DemoReport = { readonly markdown: string; readonly html: string }

const NAMES = { markdown: 'report.md', html: 'report.html' } as const

/** Writes the report of the week of `now`. The problem is a text. @returns undefined where the daemon did not answer */
export async function writeDemoReport(
  apiUrl: string,
  { folder, now }: { readonly folder: string; readonly now: Instant },
): Promise<DemoReport | undefined> {
  const week = isoWeekIdOf(now, createUtc())
  const write = async (format: keyof typeof NAMES): Promise<string | undefined> => {
    const answer = await askDaemon({ url: apiUrl }, `/api/v1/report?week=${week}&format=${format}`)
    if (!answer.ok) return undefined
    const file = join(folder, NAMES[format])
    writeFileSync(file, await answer.value.text())
    return file
  }
  const [markdown, html] = [await write('markdown'), await write('html')]
  return markdown !== undefined && html !== undefined ? { markdown, html } : undefined
}
