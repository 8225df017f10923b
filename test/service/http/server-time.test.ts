import { expect, test } from 'vitest'
import { createServiceTime } from '../../../src/service/http/server-time.ts'
import { seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const report = { code: '200', headers: { date: 'Mon, 05 Jan 2026 00:01:00 GMT' }, seconds: seconds(2) }

test('an answer names the second in which it was written, or the one before, between its sending and its arrival', async () => {
  const clock = fakeClock()
  const time = createServiceTime(clock)
  expect(time.estimate()).toBeUndefined()
  await clock.advance(seconds(10))
  time.record(report)
  const known = time.estimate()?.known
  expect(known?.low).toBe(at(60) - 10_000 - 100)
  expect(known?.high).toBe(at(62) - 8000 + 100)
})

test.each([
  ['no date', { headers: {} }],
  ['a date that cannot be read', { headers: { date: 'yesterday' } }],
  ['an answer that was kept for somebody else', { headers: { ...report.headers, age: '7' } }],
  ['what may be a machine on the way', { code: '502' }],
  ['a year that is far away', { headers: { date: 'Fri, 31 Dec 9999 23:59:59 GMT' } }],
  ['a clock that is more than a week off', { headers: { date: 'Mon, 12 Jan 2026 00:00:01 GMT' } }],
  ['no whole answer', { code: 'timeout', headers: {} }],
])('%s tells nothing', (_, over) => {
  const time = createServiceTime(fakeClock())
  time.record({ ...report, ...over })
  expect(time.estimate()).toBeUndefined()
})

test('a refusal tells the time like any other answer', () => {
  const time = createServiceTime(fakeClock())
  time.record({ ...report, code: '404' })
  expect(time.estimate()).toBeDefined()
})

test('a wall clock that cannot be right is corrected', () => {
  const time = createServiceTime(fakeClock('1970-01-01T00:00:00Z'))
  time.record(report)
  expect(time.estimate()).toBeDefined()
})
