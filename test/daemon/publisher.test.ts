import { expect, test } from 'vitest'
import { createPublisher } from '../../src/daemon/publisher.ts'

/** Publishing that ends when it is told to. */
function slow() {
  const ends: (() => void)[] = []
  const publish = createPublisher(() => new Promise((resolve) => void ends.push(resolve)))
  const end = async (index: number): Promise<void> => {
    ends[index]?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { publish, end, begun: () => ends.length }
}

test('what comes while one state is published waits for one more, all together', async () => {
  const { publish, end, begun } = slow()
  let done = 0
  const first = publish()
  await end(-1)
  expect(begun()).toBe(1)
  const others = [publish(), publish(), publish()].map(async (one) => {
    await one
    done += 1
  })
  await end(-1)
  expect(begun()).toBe(1)
  await end(0)
  await first
  expect([begun(), done]).toEqual([2, 0])
  await end(1)
  await Promise.all(others)
  expect([begun(), done]).toEqual([2, 3])
})
