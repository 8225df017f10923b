import { expect, test } from 'vitest'
import { judged, type History } from './trial/truth.ts'
import { bySize, longTest } from '../support/tiers.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const two: History = [
  { from: 130_300, to: 730_300 },
  { from: 1_500_700, to: 2_100_200 },
]

test.each(bySize([-2000, -1000, -300, 0, 300, 1000, 2000], [-1000, 2000]))(
  'clocks that differ by %d ms make no wakes',
  async (skew) => {
    for (const phase of [0, 9000, 10_000, 11_000, 29_600]) {
      const history = two.map(({ from, to }) => ({ from: from + phase, to: to + phase + 200 }))
      expect(await judged(history, HOUR, { skew })).toMatchObject({
        contains: true,
        wakes: 2,
        restarts: 0,
        suspends: 2,
      })
    }
  },
)

/** Five minutes awake every twenty. */
const ten: History = Array.from({ length: 10 }, (_, index) => ({
  from: 100_000 + index * 20 * MINUTE,
  to: 400_000 + index * 20 * MINUTE,
}))
const down = [2 * MINUTE, 3 * HOUR] as const

test('what happened while the daemon was down is counted, also when the first list of operations after it fails', async () => {
  expect(await judged(ten, 4 * HOUR, { down })).toMatchObject({ contains: true, wakes: 10 })
  expect(
    await judged(ten, 4 * HOUR, { down, operationsFail: (passNumber) => passNumber === 4 }),
  ).toMatchObject({ contains: true, wakes: 10 })
})

test('operations that never come leave what the records tell', async () => {
  expect(await judged(two, HOUR, { operationsFail: () => true })).toMatchObject({
    contains: true,
    wakes: 2,
    suspends: 2,
  })
})

longTest.each([0, 1, 3, 10])('operations listed %d minutes late are counted', async (minutes) => {
  const restarts: History = [
    { from: 130_000, to: 305_000 },
    { from: 310_000, to: 320_000 },
    { from: 325_000, to: 335_000 },
    { from: 340_000, to: 2 * HOUR },
  ]
  const {
    contains,
    wakes,
    restarts: restarted,
  } = await judged(restarts, 3 * HOUR, { operationsLag: minutes * MINUTE })
  expect({ contains, starts: wakes + restarted }).toEqual({ contains: true, starts: 4 })
})

longTest('every interval that is long over is settled once', async () => {
  expect(await judged(ten, 5 * HOUR)).toMatchObject({ settled: 10 })
})
