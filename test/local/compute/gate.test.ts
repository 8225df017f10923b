import { expect, test } from 'vitest'
import { createGate } from '../../../src/local/compute/gate.ts'

test('a gate limits how many pieces of work run at once, in order, whether they succeed or fail', async () => {
  const gate = createGate(4)
  const begun: number[] = []
  const open = Array.from({ length: 20 }, () => Promise.withResolvers<number>())
  const results = open.map(({ promise }, n) =>
    gate(() => {
      begun.push(n)
      return promise
    }).catch(() => -1),
  )
  for (const [n, { resolve, reject }] of open.entries()) {
    expect(begun).toEqual(Array.from({ length: Math.min(20, n + 4) }, (_, at) => at))
    if (n % 3 === 0) reject(new Error('failed'))
    else resolve(n)
    await results[n]
  }
  expect(await Promise.all(results)).toEqual(open.map((_, n) => (n % 3 === 0 ? -1 : n)))
})
