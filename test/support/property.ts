import fc from 'fast-check'
import { bySize } from './tiers.ts'

/** Cases of a property are the same at every run; `PROPERTY_SEED=$RANDOM npm run unit` looks at others. */
const seed = (): number => Number(process.env['PROPERTY_SEED'] ?? 7)

/** The short form of a property checks an eighth of its cases. */
const runsInTier = (numRuns: number): number => bySize(numRuns, Math.ceil(numRuns / 8))

export const check = <Case>(property: fc.IProperty<Case>, numRuns = 100): void =>
  fc.assert(property, { seed: seed(), numRuns: runsInTier(numRuns) })

/** Checks a slow property: a case that fails is not made smaller, because each attempt would take as long again. */
export const checkSlowly = <Case>(property: fc.IAsyncProperty<Case>, numRuns: number): Promise<void> =>
  fc.assert(property, { seed: seed(), numRuns: runsInTier(numRuns), endOnFailure: true })
