// The embedded store after days of a daemon that is killed now and then: it holds the daemon's ledger, and its history adds up.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { History } from '../../src/model/ports/history.ts'
import type { Random } from '../../src/model/ports/clock.ts'
import type { Store } from '../../src/model/ports/store.ts'
import { COARSE_STEP, FINE_STEP, type Rollup } from '../../src/model/ledger/rollup.ts'
import { instant } from '../../src/model/units.ts'
import { openEmbeddedStore } from '../../src/store/sqlite/embedded.ts'
import { START } from '../local/control/build.ts'
import { collected, plain } from '../store/build.ts'
import { makeFolder } from '../store/folder.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { simulateWeek, type Week } from './week.ts'
import type { Use } from './world.ts'

const MINUTE = 60_000
const DAYS = 3
const ALWAYS = { from: instant(0), to: instant(8e15) }

const uses = (random: Random): readonly Use[] => {
  const randomTimes = (count: number): number[] =>
    Array.from({ length: count }, () => Math.round(random.unit() * DAYS * 1440 * MINUTE)).toSorted(
      (a, b) => a - b,
    )
  return [
    { endpointId: 'ep-busy', delay: 300, activity: randomTimes(1500) },
    { endpointId: 'ep-often', delay: 60, activity: randomTimes(300) },
    { endpointId: 'ep-rare', delay: 300, activity: randomTimes(8) },
    { endpointId: 'ep-nobody', delay: 300, activity: [] },
  ]
}

describe.each([3])('seed %d', (seed) => {
  const folder = makeFolder()
  let store: Store & History
  let week: Week
  beforeAll(async () => {
    store = openEmbeddedStore(folder, fakeClock(new Date(START).toISOString()))
    week = await simulateWeek({ seed, uses, days: DAYS, crashes: 0.01, store })
  })
  afterAll(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })

  test('what is loaded is what the daemon knew', async () => {
    const { computes, projects, readings } = await store.account('main').load()
    for (const [key, account] of week.ledger.computes) expect(computes.get(key)).toEqual(plain(account))
    expect(computes.size).toBe(4)
    expect(new Map(projects)).toEqual(new Map(plain([...week.ledger.projects])))
    expect(readings).toEqual(week.ledger.readings)
  })

  test('days add up to the totals', async () => {
    for (const { ref, totals } of week.ledger.computes.values()) {
      // oxlint-disable-next-line no-await-in-loop -- one compute after the other
      const days = await collected(store.days('main', { ...ALWAYS, computes: [ref] }))
      expect(days.reduce((sum, { awake }) => sum + awake.likely, 0)).toBe(totals.awake.likely)
      expect(days.reduce((sum, { wakes }) => sum + wakes, 0)).toBe(totals.wakes)
    }
  })

  test('rollups see the time awake that the ledger counts, and not more', async () => {
    for (const { ref, totals, rollups } of week.ledger.computes.values()) {
      for (const [length, open] of [
        [FINE_STEP, rollups.fine],
        [COARSE_STEP, rollups.coarse],
      ] as const) {
        // oxlint-disable-next-line no-await-in-loop -- one compute after the other
        const closed = await collected(store.rollups('main', { ...ALWAYS, computes: [ref], length }))
        const active = activeIn(closed) + (open?.time.active ?? 0)
        expect(closed.every(({ time }) => time.active + time.idle + time.init <= length * 1000)).toBe(true)
        // by records, whose starts and suspensions are whole seconds; the ledger may have read operations
        const rounding = 1000 * (totals.wakes + totals.suspends)
        expect(active).toBeLessThanOrEqual(totals.awake.high + rounding)
        expect(active).toBeGreaterThanOrEqual(totals.awake.low * 0.95)
      }
    }
  })
})

const activeIn = (rollups: readonly Rollup[]): number =>
  rollups.reduce((sum, { time }) => sum + time.active, 0)
