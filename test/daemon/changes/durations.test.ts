import { expect, test } from 'vitest'
import { createDurations } from '../../../src/daemon/changes/durations.ts'
import type { Change, ChangeState, EndedChange } from '../../../src/model/policy/change.ts'
import { at } from '../../support/build.ts'
import { changeOf } from '../../support/changes.ts'

const LOG = { error: () => undefined }

const done = (took: number): EndedChange => ({
  at: 'done',
  because: 'verified',
  endedAt: at(100 + took),
  sent: { at: at(100), sessions: 0 },
})
const withState = (state: ChangeState): Change => changeOf({ state })
const many = (count: number, took: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => withState(done(took(index))))

function p99Of(changes: readonly Change[]) {
  const durations = createDurations()
  for (const change of changes) durations.add(change)
  return durations.p99()
}

test('is 10 s until 20 changes are known, then their 99th percentile', () => {
  expect(p99Of([])).toBe(10)
  expect(p99Of(many(19, () => 60))).toBe(10)
  expect(p99Of(many(20, () => 60))).toBe(60)
  // the longest of 20 counts, the longest of 200 does not
  expect(p99Of(many(20, (index) => (index === 3 ? 60 : 12)))).toBe(60)
  expect(p99Of(many(200, (index) => (index === 3 ? 60 : 12)))).toBe(12)
})

test('is not that of changes that failed, or of which nothing was sent', () => {
  const failed: ChangeState = { ...done(60), at: 'failed' }
  const unsent: ChangeState = { at: 'done', because: 'it is so already', endedAt: at(160) }
  const others = Array.from({ length: 30 }, () => [withState(failed), withState(unsent)]).flat()
  expect(p99Of(others)).toBe(10)
})

test('is not that of a change whose end was only seen after an outage, or a stop of the daemon', () => {
  const twoDays = 2 * 86_400
  expect(p99Of(many(30, (index) => (index === 3 ? twoDays : 12)))).toBe(12)
  // a clock that was set back
  expect(p99Of(many(20, () => -3600))).toBe(10)
})

test('is that of restarts: delays of schedules, which are many and short, leave it as it is', () => {
  const delays = many(1000, () => 2).map((change): Change => ({ ...change, kind: 'delay' }))
  expect(p99Of([...many(20, () => 60), ...delays])).toBe(60)
})

test('is that of the newest 1,000 changes, of an earlier process too', async () => {
  const durations = createDurations()
  durations.add(withState(done(50)))
  const asked: unknown[] = []
  const journal = {
    changes: (account: string, part: unknown) => {
      asked.push([account, part])
      return Promise.resolve(many(1000, (index) => (index < 980 ? 20 : 300)))
    },
  }
  await durations.load(journal, 'main', LOG)
  expect(asked).toEqual([['main', { count: 1000 }]])
  expect(durations.p99()).toBe(300)
  // newest first: those of 300 s are the oldest, and are forgotten first
  for (const change of many(20, () => 30)) durations.add(change)
  expect(durations.p99()).toBe(30)
})

test('stays as it was where the journal cannot be read', async () => {
  const durations = createDurations()
  const problems: unknown[] = []
  const journal = { changes: () => Promise.reject(new Error('no disk')) }
  await durations.load(journal, 'main', { error: (...line: unknown[]) => void problems.push(line) })
  expect([durations.p99(), problems.length]).toEqual([10, 1])
})
