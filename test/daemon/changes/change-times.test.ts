import { expect, test } from 'vitest'
import { createChangeTimes } from '../../../src/daemon/changes/change-times.ts'
import type { ChangeState } from '../../../src/model/policy/change.ts'
import { at } from '../../support/build.ts'
import { CHANGED, changeOf, SCHEDULED } from '../../support/changes.ts'

const applying = (sentAt: number): ChangeState => ({
  at: 'applying',
  approvedBy: undefined,
  attempt: 1,
  sentAt: at(sentAt),
  sessions: 0,
  baseStartedAt: undefined,
  epoch: 1,
  uncertainAt: undefined,
})
const sent = { at: at(10), sessions: 0 }
const verifying: ChangeState = { at: 'verifying', since: at(12), operationIds: [], sent }
const done: ChangeState = { at: 'done', because: 'verified', endedAt: at(20), sent }
const ref = CHANGED

function timesAfter(states: readonly ChangeState[], now: number, kind: 'sizing' | 'delay' = 'sizing') {
  const clock = { now: at(0) }
  const times = createChangeTimes(() => clock.now)
  for (const state of states) times.add(changeOf({ state, kind }))
  clock.now = at(now)
  return times.of(ref)
}

test.each<[string, readonly ChangeState[], number, ReturnType<typeof timesAfter>]>([
  ['one that waits', [SCHEDULED], 30, undefined],
  ['one whose request may be on its way', [applying(10)], 30, [{ from: at(10), to: at(30) }]],
  ['one that is verified', [applying(10), verifying], 30, [{ from: at(10), to: at(30) }]],
  ['one that is done', [applying(10), verifying, done], 30, [{ from: at(10), to: at(20) }]],
  ['one that is done, read from the journal', [done], 30, [{ from: at(10), to: at(20) }]],
  ['one that ended an hour ago', [applying(10), verifying, done], 3621, undefined],
  [
    'one whose first request had no effect',
    [applying(10), SCHEDULED, applying(90)],
    95,
    [
      { from: at(10), to: at(0) },
      { from: at(90), to: at(95) },
    ],
  ],
])('%s', (_, states, now, expected) => {
  expect(timesAfter(states, now)).toEqual(expected)
})

test('a change of the delay wakes nothing', () => {
  expect(timesAfter([applying(10)], 30, 'delay')).toBeUndefined()
})

test('earlier changes are read from the journal, and a journal that fails is logged', async () => {
  const errors: unknown[] = []
  const log = { error: (fields: unknown) => void errors.push(fields) }
  const times = createChangeTimes(() => at(30))
  await times.load({ changes: () => Promise.resolve([changeOf({ state: done })]) }, 'main', log)
  expect(times.of(ref)).toEqual([{ from: at(10), to: at(20) }])
  await times.load({ changes: () => Promise.reject(new Error('broken')) }, 'main', log)
  expect(errors).toHaveLength(1)
})
