// The page of the report, over the app that serves it.
import { describe, expect, test } from 'vitest'
import { instant } from '../../../src/model/units.ts'
import { FLEETS, inputOf, told } from '../report/fleets.ts'
import { KEPT, keptOf } from './kept-reports.ts'
import { appOf, asked, fleet, textOf } from './shown.ts'
import { problemsOf } from './well-formed.ts'

const MONDAY = instant(Date.UTC(2026, 10, 23, 8))

describe('archived reports', () => {
  const snapshot = fleet(2)
  const app = appOf({ snapshot, kept: KEPT })
  const heading = async (path: string): Promise<string> =>
    /<h1><bdi>([^<]*)/.exec(await textOf(app, path))?.[1] ?? ''

  test('the newest is shown where none is asked for, with twelve to choose from and its teams', async () => {
    expect(await heading('/report')).toBe('Report 2026-W47, account main')
    const text = await textOf(app, '/report')
    expect(text.match(/href="\/report\?account=main&amp;week=[^"&]*"/g)).toHaveLength(12 + 1)
    expect(text).toContain('href="/report?account=main&amp;week=2026-W47&amp;team=payments"')
    expect(text.match(/<svg class="(bars|fan)"/g)).toHaveLength(4)
  })

  test('older weeks are on further pages, and a week and its teams stay on theirs', async () => {
    const first = await textOf(app, '/report')
    expect(first).toContain('<a rel="next" href="/report?account=main&amp;page=2">Older</a>')
    expect(first).not.toContain('Newer')
    expect(await heading('/report?page=2')).toBe('Report 2026-W35, account main')
    const second = await textOf(app, '/report?page=2')
    expect(second.match(/href="\/report\?account=main&amp;week=[^"&]*&amp;page=2"/g)).toHaveLength(2)
    expect(second).toContain('<a rel="prev" href="/report?account=main">Newer</a>')
    expect(second).not.toContain('Older')
    const beyond = await asked(app, '/report?page=3')
    expect([beyond.status, await beyond.text()]).toEqual([404, expect.stringContaining('Newer')])
  })

  test('another is shown as it was made, a part is that of its team', async () => {
    expect(await heading('/report?week=2026-W40')).toBe('Report 2026-W40, account main')
    expect(await heading('/report?account=main&week=2026-W47&team=web')).toBe(
      'Report 2026-W47, account main, team web',
    )
  })

  test.each([
    ['/report?week=2025-W01', 'There is no such report'],
    ['/report?week=2026-W47&team=nobody', 'There is no such report'],
    ['/report?account=other', 'No such account'],
  ])('%s is not found', async (path, says) => {
    const answer = await asked(app, path)
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining(says)])
  })

  test('before the first it says when there will be one, and where the last week is', async () => {
    const answer = await asked(appOf({ snapshot, nextReportAt: () => MONDAY }), '/report')
    const text = await answer.text()
    expect([answer.status, problemsOf(text)]).toEqual([200, []])
    expect(text.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')).toContain(
      'No report yet. The next is due Mon 23 Nov 08:00 UTC.',
    )
    expect(text).toContain('datetime="2026-11-23T08:00:00Z"')
    expect(text).toContain('href="/api/v1/report?account=main&amp;format=html-full"')
  })

  test('a report that replaces one of the same slot is shown', async () => {
    const fresh = told(inputOf({ ...FLEETS.quiet }))
    const [first, second] = [fresh, { ...fresh, made_at: '2026-11-24T08:00:00Z', verdict: 'made anew' }]
    let kept = keptOf([first])
    const changing = appOf({
      snapshot,
      kept: {
        ...KEPT,
        report: (...given) => kept.report(...given),
        reports: (...given) => kept.reports(...given),
      },
    })
    expect(await textOf(changing, '/report')).not.toContain('made anew')
    kept = keptOf([second])
    expect(await textOf(changing, '/report')).toContain('made anew')
  })
})
