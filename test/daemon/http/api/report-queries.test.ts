// Parameters of reports that mean nothing are refused: a report about something else would look like the right one.
import { expect, test } from 'vitest'
import { createApiApp } from '../../../../src/daemon/http/app.ts'
import type { ReportSource } from '../../../../src/daemon/reports/build.ts'
import { fakeClock } from '../../../support/fake-clock.ts'
import { NO_HISTORY } from '../../../support/no-history.ts'
import { NO_PAGES } from '../../../support/no-pages.ts'
import { zoneOf } from '../../../support/zones.ts'

const app = createApiApp({
  snapshot: () => undefined,
  history: NO_HISTORY,
  accounts: () => [],
  ...NO_PAGES,
  clock: fakeClock(),
  reports: () => new Map([['main', { zone: zoneOf('UTC') } as ReportSource]]),
})

const PAGE = 'page: expected a whole number from 1 on'

test.each([
  ['/api/v1/report?kept=maybe', 'kept: expected true or false, got maybe'],
  ['/api/v1/report?team=nobody', 'team: expected kept=true beside it, which reads archived reports'],
  ['/api/v1/report?kept=false&team=web', 'team: expected kept=true beside it, which reads archived reports'],
  ['/api/v1/reports?page=abc', `${PAGE}, got abc`],
  ['/api/v1/reports?page=-1', `${PAGE}, got -1`],
  ['/api/v1/reports?page=0', `${PAGE}, got 0`],
  ['/api/v1/reports?page=1.5', `${PAGE}, got 1.5`],
  ['/api/v1/reports?page=', `${PAGE}, got `],
])('%s is refused', async (path, message) => {
  const answer = await app.request(path)
  expect([answer.status, await answer.json()]).toEqual([400, { message }])
})
