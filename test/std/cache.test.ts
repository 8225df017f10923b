import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createIdentityCache } from '../../src/std/cache.ts'

test('it is by identity', () => {
  const remembered = createIdentityCache<object, string>()
  const [one, same] = [{ id: 1 }, { id: 1 }]
  remembered.set(one, 'first')
  expect([remembered.get(one), remembered.get(same)]).toEqual(['first', undefined])
})

type Step = { readonly what: 'of' | 'keep' | 'forget'; readonly one: number; readonly value: number }

const steps = fc.array(
  fc.record<Step>({
    what: fc.constantFrom('of', 'keep', 'forget'),
    one: fc.integer({ min: 0, max: 5 }),
    value: fc.integer({ min: 0, max: 9 }),
  }),
  { maxLength: 60 },
)

test('evicts every entry without a get or set since the last eviction', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const remembered = createIdentityCache<number, number>()
      const [known, wanted] = [new Map<number, number>(), new Set<number>()]
      const answers: [told: number | undefined, expected: number | undefined][] = []
      for (const { what, one, value } of all) {
        if (what === 'of') {
          answers.push([remembered.get(one), known.get(one)])
          if (known.has(one)) wanted.add(one)
        } else if (what === 'keep') {
          remembered.set(one, value)
          known.set(one, value)
          wanted.add(one)
        } else {
          remembered.evictUnused()
          for (const key of known.keys()) if (!wanted.has(key)) known.delete(key)
          wanted.clear()
        }
      }
      expect(answers.map(([told]) => told)).toEqual(answers.map(([, expected]) => expected))
    }),
  )
})
