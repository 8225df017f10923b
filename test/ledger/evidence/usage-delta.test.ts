import fc from 'fast-check'
import { expect, test } from 'vitest'
import { updateObserverAllowance, type ObserverSpending } from '../../../src/ledger/readings/reading-state.ts'
import { usageBetween, NO_ACCUMULATED_USAGE, addUsage } from '../../../src/ledger/evidence/usage-delta.ts'
import type { ReadingState } from '../../../src/model/ledger/reading-state.ts'
import type { Reading } from '../../../src/model/observation.ts'
import { millis, seconds } from '../../../src/model/units.ts'
import { at, reading } from '../../support/build.ts'
import { check } from '../../support/property.ts'

const told = (when: number, sessions: number, active: number, over: Partial<Reading> = {}): Reading =>
  reading({
    kind: 'light',
    serverTime: at(when),
    usage: { sessions, activeTime: millis(active * 1000) },
    ...over,
  })

const after = (last: Reading, failures = 0): Pick<ReadingState, 'last' | 'failures'> => ({
  last: { ...last, at: last.serverTime },
  failures,
})

test.each<[string, Reading, number, number]>([
  ['a light one', told(160, 15, 4), 0, 5],
  ['a full one, which is a session itself', told(160, 15, 4, { kind: 'full' }), 0, 4],
  ['one after two that failed half-way', told(160, 15, 4), 2, 3],
  ['one after more failures than sessions', told(160, 11, 4), 7, 0],
])('sessions of others by %s', (_, later, failures, arrivals) => {
  expect(usageBetween(after(told(100, 10, 1), failures), later)).toEqual({
    span: 60_000,
    arrivals,
    activeTime: 3000,
    averageActive: 0.05,
  })
})

test.each<[string, Reading]>([
  ['the server started anew', told(160, 15, 4, { postmasterStartedAt: at(150) })],
  ['sessions were reset', told(160, 3, 4)],
  ['time was reset', told(160, 15, 0)],
  ['the clock did not move', told(100, 15, 4)],
  ['it could not be read', told(160, 15, 4, { usage: { missing: 'no rights' } })],
])('nothing is known when %s', (_, later) => {
  expect(usageBetween(after(told(100, 10, 1)), later)).toBeUndefined()
})

test('what grew is summed up, and the last stretch stays until there is another', () => {
  const first = addUsage(NO_ACCUMULATED_USAGE, usageBetween(after(told(100, 10, 1)), told(160, 15, 4)))
  const second = addUsage(first, usageBetween(after(told(160, 15, 4)), told(190, 16, 7)))
  expect(second).toEqual({
    arrivals: 6,
    activeTime: 6000,
    last: { span: 30_000, arrivals: 1, averageActive: 0.1 },
  })
  expect(addUsage(second, undefined)).toEqual(second)
})

const spending = fc.record({
  awake: fc.integer({ min: 0, max: 600 }).map(seconds),
  overhead: fc.constant(0.01),
  delay: fc.constant(seconds(300)),
  expected: fc.constant(seconds(0)),
  added: fc.integer({ min: 0, max: 30 }).map(seconds),
  settled: fc.boolean(),
})

test('a reading pays what it turned out to cost, and until then what it was expected to', () => {
  const before = { allowance: seconds(10), reserved: seconds(0) }
  const quiet: ObserverSpending = {
    awake: seconds(0),
    overhead: 0.01,
    delay: seconds(300),
    expected: seconds(0),
    added: seconds(0),
    settled: false,
  }
  const read = updateObserverAllowance(before, { ...quiet, expected: seconds(7) })
  expect(read).toEqual({ allowance: 3, reserved: 7 })
  expect(updateObserverAllowance(read, quiet)).toEqual({ allowance: 3, reserved: 7 })
  expect(updateObserverAllowance(read, { ...quiet, added: seconds(2), settled: true })).toEqual({
    allowance: 8,
    reserved: 0,
  })
})

test('over any history no more is spent than was earned, beyond what one fold added', () => {
  check(
    fc.property(fc.array(spending, { maxLength: 50 }), (history) => {
      let account = { allowance: seconds(0), reserved: seconds(0) }
      let earned = 0
      let paid = 0
      for (const { added, ...one } of history) {
        // Readings are made, and add time, only where there is credit.
        const cost = account.allowance > 0 ? added : seconds(0)
        account = updateObserverAllowance(account, { ...one, added: cost })
        earned += one.awake * one.overhead
        paid += cost
        expect(account.allowance).toBeLessThanOrEqual(300)
      }
      expect(paid).toBeLessThanOrEqual(earned + 30)
    }),
  )
})
