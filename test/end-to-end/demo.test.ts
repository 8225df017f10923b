import { expect, test } from 'vitest'
import type { Summary } from '../../src/cli/demo/summary.ts'
import { dormouse, page } from './support.ts'

test('a demo shows sleeping and waking computes, counts them truly, wakes none, and leaves nothing behind', async () => {
  await using demo = dormouse(['demo', '--for', '50s', '--json'])
  expect(await demo.ended).toBe(0)
  expect(demo.err()).toBe('')
  const summary = JSON.parse(demo.out()) as Summary
  expect(summary.computes.map(({ name }) => name).toSorted()).toEqual(['bursty', 'busy', 'chatty', 'unused'])
  expect(summary.wakes).toBeGreaterThanOrEqual(5)
  expect(summary.suspends).toBeGreaterThanOrEqual(2)
  expect(summary.ledger.boundsContainTruth).toBe(true)
  expect(summary.ledger.errorRatio).toBeLessThanOrEqual(0.03)
  expect(summary.observer.wakesCaused).toBe(0)
  expect(summary.spend).toMatchObject({ currency: 'USD' })
  expect(summary.spend.low).toBeLessThanOrEqual(summary.spend.likely)
  expect(summary.spend.likely).toBeLessThanOrEqual(summary.spend.high)
  const awake = summary.computes.filter(({ awakeSeconds }) => awakeSeconds.truth > 30)
  const read = awake.filter(({ hitRatio, connections }) => hitRatio !== null && connections !== null)
  expect(awake.length).toBeGreaterThanOrEqual(2)
  expect(read).toEqual(awake)
  expect((await page(summary.urls.metrics)).status).toBe(0)
  expect((await page(summary.urls.service)).status).toBe(0)
})
