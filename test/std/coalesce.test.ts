import { expect, test } from 'vitest'
import { coalesce } from '../../src/std/coalesce.ts'

const fail = (cause: unknown): never => {
  throw new Error('publishing failed', { cause })
}

/** Publishing that ends when it is told to. */
function slow() {
  const ends: (() => void)[] = []
  const publish = coalesce(() => new Promise((resolve) => void ends.push(resolve)), fail)
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

test.each([
  ['rejects', () => Promise.reject(new Error('no room'))],
  [
    'throws',
    () => {
      throw new Error('no room')
    },
  ],
])(
  'a publication that %s is told once, to whoever waits it is over, and the next one works',
  async (_, fails) => {
    const told: unknown[] = []
    const published: number[] = []
    let count = 0
    const publish = coalesce(
      () => {
        count += 1
        if (count < 3) return fails()
        published.push(count)
        return Promise.resolve()
      },
      (cause) => void told.push(cause),
    )
    await Promise.all([publish(), publish()])
    expect(told).toEqual([new Error('no room')])
    await publish()
    await publish()
    expect(told).toHaveLength(2)
    expect(published).toEqual([3])
  },
)
