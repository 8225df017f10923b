import fc from 'fast-check'

/**
 * Checks a property with the same cases every time, so that a run says the same of the same code;
 * `PROPERTY_SEED=$RANDOM npm run unit` looks at others.
 */
export const check = <Case>(property: fc.IProperty<Case>, numRuns = 100): void =>
  fc.assert(property, { seed: Number(process.env['PROPERTY_SEED'] ?? 7), numRuns })
