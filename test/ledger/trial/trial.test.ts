import { expect, test } from 'vitest'
import { bySize, longTest, splitCases } from '../../support/tiers.ts'
import { TELLS } from './trial.ts'
import { verdictOf } from './verdict.ts'

/** `npm run bench -- ledger` runs a thousand, of longer lives. */
const SEEDS = Array.from({ length: bySize(30, 3) }, (_, index) => index + 1)

/** Of longer lives that once showed a fault: a size that changed unseen before the end, a machine that slept while it was answered. */
const [shortLives, otherLives] = splitCases([76, 182, 384, 529, 548, 807], 6)
const expectTruth = (seed: number): void => expect(verdictOf(seed, 'everything', 24).problems).toEqual([])
test.each(shortLives)('the bounds of life %i contain the truth', expectTruth)
longTest.each(otherLives)('the bounds of life %i contain the truth', expectTruth)

longTest('a size that was set and set back between two looks is in the bounds', () => {
  for (const tells of TELLS) expect(verdictOf(158, tells, 24).problems).toEqual([])
  expect(verdictOf(375, 'everything', 24).problems).toEqual([])
})

test.each(TELLS)(
  'whatever happens, bounds contain the truth, sums agree and counters never fall, when the service tells %s',
  (tells) => {
    const wrong = SEEDS.flatMap((seed) => {
      const { problems } = verdictOf(seed, tells, 4)
      return problems.length === 0 ? [] : [{ seed, problems }]
    })
    expect(wrong).toEqual([])
  },
)
