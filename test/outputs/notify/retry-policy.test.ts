import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Delivery } from '../../../src/model/output/delivery.ts'
import type { DeliveryOutcome } from '../../../src/model/output/message.ts'
import { seconds } from '../../../src/model/units.ts'
import { recordAttempt } from '../../../src/outputs/notify/retry-policy.ts'
import { at } from '../../support/build.ts'
import { check } from '../../support/property.ts'

const delivery: Delivery = {
  account: 'main',
  sink: 'ops',
  kind: 'event',
  item: 'key',
  topic: 'key',
  madeAt: at(0),
  attempts: 0,
  nextAt: at(0),
  state: 'waiting',
  lastError: undefined,
  deliveredAt: undefined,
}

const RETRY: DeliveryOutcome = { kind: 'retry', because: 'answered 500' }
const DAY = 86_400

/** Attempts at every time that is named, until it waits no more; the pauses, and what it came to. */
function until(chances: () => number, outcome: DeliveryOutcome = RETRY) {
  let [row, now] = [delivery, delivery.madeAt]
  const pauses: number[] = []
  while (row.state === 'waiting' && pauses.length < 100_000) {
    row = recordAttempt(row, outcome, { now, chance: chances() })
    pauses.push((row.nextAt - now) / 1000)
    now = row.nextAt
  }
  return { row, pauses, ended: now }
}

test('a delivered message is done', () => {
  expect(
    recordAttempt({ ...delivery, lastError: 'x' }, { kind: 'delivered' }, { now: at(5), chance: 0.5 }),
  ).toEqual({
    ...delivery,
    attempts: 1,
    state: 'delivered',
    deliveredAt: at(5),
  })
})

test('a refused message is not retried', () => {
  const outcome: DeliveryOutcome = { kind: 'failed', because: 'answered 422' }
  const { state, lastError } = recordAttempt(delivery, outcome, { now: at(5), chance: 0.5 })
  expect([state, lastError]).toEqual(['failed', 'answered 422'])
})

test('the bound of the pause doubles from half a minute to an hour', () => {
  const { pauses } = until(() => 1 - 2 ** -20)
  expect(pauses.slice(0, 9).map(Math.round)).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
})

test('a delivery is retried for 48 hours, the last time at their end, and then fails', () => {
  const chances = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }))
  check(
    fc.property(chances, (stream) => {
      const { row, pauses, ended } = until(() => stream.next().value ?? 0.5)
      expect(row.state).toBe('failed')
      expect(ended).toBeGreaterThanOrEqual(at(2 * DAY))
      expect(ended).toBeLessThanOrEqual(at(2 * DAY + 1))
      expect(Math.min(...pauses.slice(0, -1))).toBeGreaterThanOrEqual(0)
      expect(Math.max(...pauses)).toBeLessThanOrEqual(3600)
      expect(row.attempts).toBe(pauses.length)
    }),
    20,
  )
})

test('a pause that the receiver asks for is respected within the 48 hours', () => {
  check(
    fc.property(fc.integer({ min: 0, max: 4000 }), fc.integer({ min: 0, max: 12 }), (asked, attempts) => {
      const outcome: DeliveryOutcome = { kind: 'retry', because: 'answered 429', after: seconds(asked) }
      const row = recordAttempt({ ...delivery, attempts }, outcome, { now: at(100), chance: 0 })
      expect(row.nextAt).toBe(at(100 + Math.max(1, asked)))
    }),
  )
})
