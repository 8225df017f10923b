import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Summary } from '../../src/cli/demo/summary.ts'
import { dormouse, page, until } from './support.ts'

test('a demo shows sleeping and waking computes, counts them truly, wakes none, and leaves nothing behind', async () => {
  const demo = dormouse(['demo', '--for', '45s', '--json'])
  expect(await demo.ended).toBe(0)
  expect(demo.err()).toBe('')
  const summary = JSON.parse(demo.out()) as Summary
  expect(summary.computes.map(({ name }) => name).toSorted()).toEqual(['bursty', 'busy', 'chatty', 'unused'])
  expect(summary.wakes).toBeGreaterThanOrEqual(6)
  expect(summary.suspends).toBeGreaterThanOrEqual(3)
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
}, 90_000)

test('without --json a demo that is interrupted still says what it came to, and removes its folder', async () => {
  const demo = dormouse(['demo'])
  const asleep = await until('a sleeping compute', () => /unused +idle/.exec(demo.out())?.[0], 30)
  expect(asleep).toContain('idle')
  const configuration = /configuration (\S+)/.exec(demo.out())?.[1] ?? ''
  expect(existsSync(configuration)).toBe(true)
  demo.child.kill('SIGINT')
  expect(await demo.ended).toBe(0)
  expect(demo.out()).toMatch(/wakes and \d+ suspensions of real Postgres processes/)
  expect(existsSync(configuration)).toBe(false)
}, 60_000)
