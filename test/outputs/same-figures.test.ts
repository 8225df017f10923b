// One recommendation, everywhere with the same words and figures.
import { expect, test } from 'vitest'
import { createApiApp } from '../../src/daemon/http/app.ts'
import type { Gap } from '../../src/model/ledger/gap.ts'
import { seconds } from '../../src/model/units.ts'
import type { RecommendationsJson } from '../../src/outputs/text/recommendation-schema.ts'
import { recommendationListLines } from '../../src/outputs/text/recommendation-list.ts'
import { withNoBreakSpaces } from '../../src/outputs/text/html.ts'
import { weekly, windowOf } from '../calendar/windows.ts'
import { at } from '../support/build.ts'
import { NO_PAGES } from '../support/no-pages.ts'
import { NO_REPORTS } from '../support/no-reports.ts'
import { advised } from './page/advised.ts'
import { pastOf } from './page/past.ts'
import { fleet } from './page/shown.ts'

const ID = 'ep-0.delay.1'
const SUMMARY = 'autosuspend off → 300 s: saves 2.00 USD in 30 days (1.00 USD to 4.00 USD); confidence medium'
const LINES = [
  'wakes a day: 0 before, 4.5 after',
  'each suspension cuts 2 idle sessions of clients',
  'applying it restarts nothing',
  'rests on 14 days from 2025-12-22 to 2026-01-05: activity followed 98 % of the time, 273 gaps, 0.25 CU while awake at 0.106 USD a CU-hour',
  'since then: the dismissal has ended; recommended setting 600 s → 300 s; likely saving in 30 days 1.00 USD → 2.00 USD',
]
const NO_WAKE =
  'no wake inside the window office costs 0.06 USD more in 30 days and avoids 0.1 of the wakes a day'
const CURL = `curl -X PATCH 'https://service.example/api/v2/projects/project-0/endpoints/ep-0'`

/** An hour asleep after 300 s, on a Tuesday at ten. */
async function* oneGap(): AsyncGenerator<Gap> {
  const [low, high] = [seconds(3900), seconds(3900)]
  yield {
    ref: { account: 'main', projectId: 'project-0', endpointId: 'ep-0' },
    from: at(-13 * 86_400 + 36_000),
    low,
    high,
    hiddenBelow: seconds(0),
  }
}

test('API, command, explanation and pages agree', async () => {
  const snapshot = advised(fleet(1))
  const app = createApiApp({
    ...NO_PAGES,
    ...NO_REPORTS,
    snapshot: () => snapshot,
    history: { ...pastOf(snapshot), gaps: oneGap },
    windows: () => new Map([['office', windowOf(weekly('Mon-Fri 08:00-18:00', 'UTC'))]]),
    accounts: () => [],
  })
  const ask = async (path: string, accept = '*/*') => {
    const answer = await app.request(path, { headers: { host: 'localhost', accept } })
    return answer.text()
  }
  const all = JSON.parse(await ask('/api/v1/recommendations')) as RecommendationsJson
  expect(all.recommendations.map(({ id }) => id)).toEqual([ID])
  expect(all.saving_micros_per_30_days).toEqual(all.recommendations[0]?.saving_micros_per_30_days)
  expect(all.saving_micros_per_30_days.likely).toBe(2_000_000)

  const command = recommendationListLines(all, {}).join('\n')
  expect(command).toContain('applying all saves 2.00 USD in 30 days (1.00 USD to 4.00 USD)')
  const { lines } = JSON.parse(await ask('/api/v1/explain/ep-0')) as { readonly lines: readonly string[] }
  for (const text of [command, lines.join('\n')])
    for (const part of [SUMMARY, ...LINES]) expect(text).toContain(part)
  expect(command).toContain(CURL)
  expect(lines.find((line) => line.includes('no wake'))).toBe(`  ${NO_WAKE}`)

  const compute = await ask('/computes/ep-0', 'text/html')
  for (const part of [SUMMARY, ...LINES, NO_WAKE]) expect(compute).toContain(withNoBreakSpaces(part))
  const list = await ask('/recommendations', 'text/html')
  for (const part of ['autosuspend off → 300 s', 'saves 2.00 USD in 30 days', '0 → 4.5', ...LINES])
    expect(list).toContain(withNoBreakSpaces(part))
  expect(await ask('/', 'text/html')).toContain(withNoBreakSpaces('2.00 USD'))
})
