import fc from 'fast-check'

const seed = (): number => Number(process.env['PROPERTY_SEED'] ?? 7)

/**
 * Checks a property with the same cases every time, so that a run says the same of the same code;
 * `PROPERTY_SEED=$RANDOM npm run unit` looks at others.
 */
export const check = <Case>(property: fc.IProperty<Case>, numRuns = 100): void =>
  fc.assert(property, { seed: seed(), numRuns })

/** The same of a property that takes its time; a case that fails is not made smaller, that would take as long again and again. */
export const checkSlowly = <Case>(property: fc.IAsyncProperty<Case>, numRuns: number): Promise<void> =>
  fc.assert(property, { seed: seed(), numRuns, endOnFailure: true })
