import { expect, test } from 'vitest'
import { demotionOf } from '../../src/decide/demoted.ts'
import type { PromisedSaving } from '../../src/model/policy/recommendation.ts'
import { micros } from '../../src/model/units.ts'
import { at } from '../support/build.ts'

const DAY = 86_400

/** One that ended on each day from `first` on, each promised 10 and saved `realised`. */
const savings = (count: number, realised: number, first = 0): readonly PromisedSaving[] =>
  Array.from({ length: count }, (_, day) => ({
    likely: micros(10_000_000),
    realised: micros(realised * 1_000_000),
    endedAt: at((first + day) * DAY),
  }))

test('an adviser that promises twice what comes is demoted after 20 finished changes', () => {
  const recorded = savings(28, 5)
  const demotedOn = recorded.findIndex((_, day) => demotionOf(recorded.slice(0, day + 1), undefined))
  expect(demotedOn).toBe(19)
  expect(demotionOf(recorded, undefined)).toBe('the last 20 of the kind saved 50 % of what was promised')
})

test.each<[what: string, given: readonly PromisedSaving[], share: string | undefined]>([
  ['70 % of what was promised', savings(20, 7), undefined],
  ['69 %', savings(20, 6.9), '69 %'],
  ['a loss', savings(20, -1), '-10 %'],
  [
    'an early half that came, and a late one that did not',
    [...savings(20, 20), ...savings(20, 1, 20)],
    '10 %',
  ],
  ['a late half that came, given in another order', [...savings(20, 20, 20), ...savings(20, 1)], undefined],
  ['nothing promised', savings(20, 0).map((one) => ({ ...one, likely: micros(0) })), undefined],
])('%s', (_, given, share) => {
  const because = demotionOf(given, undefined)
  expect(because).toBe(share && `the last 20 of the kind saved ${share} of what was promised`)
})

test('what ended before a person gave the kind back does not count', () => {
  expect(demotionOf(savings(39, 1), at(19 * DAY))).toBeUndefined()
  expect(demotionOf(savings(40, 1), at(19 * DAY))).toBeDefined()
})
