import { expect, test } from 'vitest'
import { createFailedRequests } from '../../../src/service/http/failed-requests.ts'
import { seconds } from '../../../src/model/units.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const WITHIN = seconds(300)

test('the share of the requests of the last minutes that failed; of few nothing', async () => {
  const clock = fakeClock()
  const requests = createFailedRequests(clock)
  const record = (...codes: readonly string[]) => codes.forEach((code) => requests.record({ code }))
  expect(requests.share(WITHIN)).toBeUndefined()
  record('500', '502', 'timeout', 'network', '200', '200', '404', '423', '429')
  expect(requests.share(WITHIN)).toBeUndefined()
  record('401')
  expect(requests.share(WITHIN)).toBe(0.4)
  await clock.advance(seconds(200))
  record(...Array.from({ length: 10 }, () => '200'))
  expect(requests.share(WITHIN)).toBe(0.2)
  await clock.advance(seconds(100))
  expect(requests.share(WITHIN)).toBe(0)
  expect(requests.share(seconds(3600))).toBe(0.2)
})
