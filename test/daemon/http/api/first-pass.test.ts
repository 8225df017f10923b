// Before the first pass has ended nothing is known of any compute: no route says that there is none.
import { expect, test } from 'vitest'
import { createApiApp } from '../../../../src/daemon/http/app.ts'
import { fakeClock } from '../../../support/fake-clock.ts'
import { NO_HISTORY } from '../../../support/no-history.ts'
import { NO_PAGES } from '../../../support/no-pages.ts'

const app = createApiApp({
  snapshot: () => undefined,
  history: NO_HISTORY,
  accounts: () => [],
  ...NO_PAGES,
  clock: fakeClock(),
  reports: () => new Map(),
})

test.each([
  '/api/v1/status',
  '/api/v1/computes',
  '/api/v1/computes/ep-1',
  '/api/v1/explain/ep-1',
  '/api/v1/recommendations?compute=ep-1',
])('%s asks to come back later', async (path) => {
  const answer = await app.request(path)
  expect([answer.status, await answer.json()]).toEqual([503, { message: 'the first pass has not ended yet' }])
})
