import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orderedKeys, type Ordered } from '../../src/daemon/ordered-keys.ts'
import { check } from '../support/property.ts'

test('keys that come one after another, and go, are always in order', () => {
  const batches = fc.array(fc.array(fc.string({ maxLength: 3 }), { maxLength: 5 }), { maxLength: 6 })
  check(
    fc.property(batches, fc.nat(5), (added, forgotten) => {
      const keys = new Map<string, true>()
      let order: Ordered | undefined
      for (const [index, batch] of added.entries()) {
        for (const key of batch) keys.set(key, true)
        if (index === forgotten) keys.delete([...keys.keys()][0] ?? '')
        order = orderedKeys([...keys.keys()], order)
        expect(order.sorted).toEqual([...keys.keys()].toSorted())
      }
    }),
  )
})
