import { expect, test } from 'vitest'
import { measureActivityLag } from '../../../src/ledger/readings/activity-lag.ts'
import { NO_READING_STATE } from '../../../src/ledger/readings/reading-state.ts'
import type { ReadingState } from '../../../src/model/ledger/reading-state.ts'
import type { Look, ReadingAttempt } from '../../../src/model/observation.ts'
import { activityLagFromSamples } from '../../../src/model/inference/activity-lag.ts'
import { millis, seconds } from '../../../src/model/units.ts'
import { at, attempt, look, reading } from '../../support/build.ts'

const seen = (when: number, lastActive: number, state: 'active' | 'idle' = 'active'): Look =>
  look(when, { state, lastActive: at(lastActive) })

/** A reading at `when`, after a look that showed `lastActive`, that tells of a statement that ended at `statement`. */
function told(when: number, lastActive: number, statement: number | undefined): ReadingAttempt {
  const { causes } = reading()
  if ('missing' in causes) throw new Error('a quiet reading has causes')
  const lastForeignStatement = statement === undefined ? undefined : at(statement)
  const read = reading({ serverTime: at(when + 0.1), causes: { ...causes, lastForeignStatement } })
  return attempt(when, { look: seen(when, lastActive), result: { kind: 'read', reading: read } })
}

const after = (
  before: Partial<ReadingState>,
  looks: readonly Look[],
  readings: readonly ReadingAttempt[] = [],
): Pick<ReadingState, 'lags' | 'pendingActivity'> =>
  measureActivityLag({ ...NO_READING_STATE, ...before }, looks, readings)

test('a look that shows at once what a reading then tells measured the lag', () => {
  expect(after({}, [], [told(104, 100, 100.4)])).toEqual({
    lags: [{ atLeast: 0, atMost: expect.closeTo(3.6, 6) }],
    pendingActivity: undefined,
  })
})

test('what no look showed yet is awaited, and the look that shows it measured the lag', () => {
  const first = after({}, [], [told(104, 60, 100.4)])
  expect(first).toEqual({ lags: [], pendingActivity: { at: at(100.4), atLeast: 3.6 } })
  const second = after(first, [seen(105, 60)])
  expect(second.pendingActivity?.atLeast).toBeCloseTo(4.6, 6)
  expect(after(second, [seen(107, 100)]).lags).toEqual([
    { atLeast: expect.closeTo(4.6, 6), atMost: expect.closeTo(6.6, 6) },
  ])
})

test('the clock of the compute is the one both are held against', () => {
  const pendingActivity = { at: at(100.4), atLeast: seconds(0) }
  const behind = { pendingActivity, clockOffset: millis(30_000) }
  expect(after(behind, [seen(77, 100)]).lags).toEqual([{ atLeast: 0, atMost: expect.closeTo(6.6, 6) }])
})

test.each([
  ['newer activity hides it', told(104, 102, 100.4)],
  ['it ended while we were there', told(104, 60, 104.05)],
  ['it was before the server started', told(104, 60, -10)],
  ['nobody is connected', told(104, 60, undefined)],
])('nothing is measured when %s', (_, one) => {
  expect(after({}, [], [one])).toEqual({ lags: [], pendingActivity: undefined })
})

test('a compute that falls asleep shows nothing more', () => {
  const first = after({}, [], [told(104, 60, 100.4)])
  expect(after(first, [seen(120, 60, 'idle')])).toEqual({ lags: [], pendingActivity: undefined })
})

const sample = (atLeast: number, atMost: number) => ({ atLeast: seconds(atLeast), atMost: seconds(atMost) })

test.each([
  ['four samples are too few', Array.from({ length: 4 }, () => sample(0, 5)), undefined],
  ['the promptest look bounds a constant lag', [5, 9, 30, 60, 61].map((most) => sample(0, most)), 6],
  [
    'a lateness that was proven counts, however prompt the others are',
    [sample(20, 40), ...[1, 1, 2, 3].map((most) => sample(0, most))],
    21,
  ],
])('%s', (_, samples, expected) => {
  expect(activityLagFromSamples(samples)).toBe(expected)
})
