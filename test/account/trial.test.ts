import { expect, test } from 'vitest'
import { TELLS } from './trial.ts'
import { verdictOf } from './verdict.ts'

/** `npm run bench -- ledger` runs a thousand, of longer lives. */
const SEEDS = Array.from({ length: 100 }, (_, index) => index + 1)

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
