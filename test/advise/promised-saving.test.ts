import { expect, test } from 'vitest'
import { promisedSaving } from '../../src/advise/promised-saving.ts'
import type { Recommendation } from '../../src/model/policy/recommendation.ts'
import { at } from '../support/build.ts'
import { amounts, recommendation, sizingRecommendation } from '../support/recommendations.ts'

const DAY = 86_400

const implemented = (day: number): Pick<Recommendation, 'life' | 'confirmedAt'> => ({
  confirmedAt: at((day - 1) * DAY),
  life: { state: 'implemented', at: at(day * DAY), realised: undefined },
})

/** On day 10, confirmed on day 9. */
const sizing = sizingRecommendation({ ...implemented(10), saving: amounts(100, 200, 300) })

/** Saves three quarters of the cost: at least half of it. */
const delay = (day: number, over: Partial<Recommendation> = {}) =>
  recommendation({
    ...implemented(day),
    spend: amounts(400, 400, 400),
    saving: amounts(200, 300, 400),
    ...over,
  })

const promised = (...others: readonly Recommendation[]) => promisedSaving(sizing, at(10 * DAY), others)

test('what another one saves at the same time is not promised twice', () => {
  expect(promised(delay(10))).toEqual(amounts(0, 50, 150))
})

test('another one counts from the day on which it took effect', () => {
  // half of the 28 days
  expect(promised(delay(24))?.likely).toBe(amounts(0, 200 * (1 - 0.75 / 2), 0).likely)
})

const promisedDelay = (sizedOn: number) =>
  promisedSaving(delay(10), at(10 * DAY), [{ ...sizing, ...implemented(sizedOn) }])

test('a later size takes nothing from a delay, an earlier one takes its share', () => {
  expect(promisedDelay(11)).toBeUndefined()
  expect(promisedDelay(10)?.likely).toBe(amounts(0, 300 * (1 - 200 / 305.28), 0).likely)
})

test('two others leave the product of what each of them leaves', () => {
  const other = delay(10, { id: 'ep-one.delay.2' })
  expect(promised(delay(10), other)?.likely).toBe(amounts(0, 200 / 16, 0).likely)
})

test('what costs more lets the size save more', () => {
  expect(promised(delay(10, { saving: amounts(-200, -100, 0) }))).toEqual(amounts(100, 250, 450))
})

test.each<[string, Recommendation]>([
  ['itself', sizing],
  ['one that took effect before its figures were made', delay(9)],
  ['one that took effect after its follow-up', delay(38)],
  ['one that is open', delay(10, { life: { state: 'open' } })],
])('it is as it was beside %s', (_, other) => {
  expect(promised(other)).toBeUndefined()
})
