// One recommendation, everywhere with the same words and figures.
import { expect, test } from 'vitest'
import { createApiApp } from '../../src/daemon/http/app.ts'
import type { RecommendationsJson } from '../../src/outputs/text/recommendation-schema.ts'
import { recommendationListLines } from '../../src/outputs/text/recommendation-list.ts'
import { withNoBreakSpaces } from '../../src/outputs/text/html.ts'
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
const CURL = `curl -X PATCH 'https://service.example/api/v2/projects/project-0/endpoints/ep-0'`

test('API, command, explanation and pages agree', async () => {
  const snapshot = advised(fleet(1))
  const app = createApiApp({
    ...NO_PAGES,
    ...NO_REPORTS,
    snapshot: () => snapshot,
    history: pastOf(snapshot),
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

  const command = recommendationListLines(all, false).join('\n')
  expect(command).toContain('applying all saves 2.00 USD in 30 days (1.00 USD to 4.00 USD)')
  const { lines } = JSON.parse(await ask('/api/v1/explain/ep-0')) as { readonly lines: readonly string[] }
  for (const text of [command, lines.join('\n')])
    for (const part of [SUMMARY, ...LINES]) expect(text).toContain(part)
  expect(command).toContain(CURL)

  const compute = await ask('/computes/ep-0', 'text/html')
  for (const part of [SUMMARY, ...LINES]) expect(compute).toContain(withNoBreakSpaces(part))
  const list = await ask('/recommendations', 'text/html')
  for (const part of ['autosuspend off → 300 s', 'saves 2.00 USD in 30 days', '0 → 4.5', ...LINES])
    expect(list).toContain(withNoBreakSpaces(part))
  expect(await ask('/', 'text/html')).toContain(withNoBreakSpaces('2.00 USD'))
})
