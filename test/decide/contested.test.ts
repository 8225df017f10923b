import { expect, test } from 'vitest'
import { contestedBecause, type Overwriting } from '../../src/decide/contested.ts'
import { at } from '../support/build.ts'

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]
const NOW = at(30 * DAY)
/** Overwritten so long ago, after the value had been there for so long, seconds. */
const ago = (since: number, lasted: number): Overwriting => ({
  at: at(30 * DAY - since),
  effectiveAt: at(30 * DAY - since - lasted),
})

test.each<[string, readonly Overwriting[], boolean]>([
  ['none', [], false],
  ['two within an hour', [ago(20 * MINUTE, DAY), ago(10 * MINUTE, MINUTE)], false],
  [
    'three within an hour, whatever lasted before',
    [ago(50 * MINUTE, 9 * DAY), ago(40 * MINUTE, 9 * DAY), ago(10 * MINUTE, MINUTE)],
    true,
  ],
  [
    'three in a row, hours apart, that lasted for minutes',
    [ago(9 * HOUR, MINUTE), ago(6 * HOUR, MINUTE), ago(MINUTE, MINUTE)],
    true,
  ],
  [
    'the same, the first of which had lasted for days',
    [ago(9 * HOUR, DAY), ago(6 * HOUR, MINUTE), ago(MINUTE, MINUTE)],
    true,
  ],
  [
    'three that each lasted for hours',
    [ago(9 * HOUR, DAY), ago(6 * HOUR, 3 * HOUR), ago(MINUTE, 5 * HOUR)],
    false,
  ],
  [
    'one in between that lasted',
    [ago(9 * HOUR, MINUTE), ago(6 * HOUR, MINUTE), ago(MINUTE, 2 * HOUR)],
    false,
  ],
  [
    'the first more than a week ago',
    [ago(8 * DAY, MINUTE), ago(6 * HOUR, MINUTE), ago(MINUTE, MINUTE)],
    false,
  ],
])('%s', (_, overwritings, isContested) => {
  expect(contestedBecause(overwritings, undefined, NOW)).toBe(
    isContested ? 'somebody else overwrote what changes had set there 3 times' : undefined,
  )
})

test('after a release only later ones count', () => {
  const three = [ago(30 * MINUTE, MINUTE), ago(20 * MINUTE, MINUTE), ago(10 * MINUTE, MINUTE)]
  expect(contestedBecause(three, at(30 * DAY - 40 * MINUTE), NOW)).toBeDefined()
  expect(contestedBecause(three, at(30 * DAY - 25 * MINUTE), NOW)).toBeUndefined()
})
