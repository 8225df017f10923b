import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_PUBLISHED_COUNTERS, NO_TOTALS } from '../../../src/ledger/settle/totals.ts'
import { raiseCounters } from '../../../src/ledger/settle/totals.ts'
import { sumUnproductive } from '../../../src/ledger/settle/totals.ts'
import type { PublishedCounters, Totals } from '../../../src/model/ledger/ledger.ts'
import { cuMillis, micros, millis } from '../../../src/model/units.ts'
import { UNPRODUCTIVE_CAUSES } from '../../../src/model/ledger/counters.ts'
import { check } from '../../support/property.ts'

const HOUR = 3_600_000
const same = <Value>(value: Value) => ({ low: value, likely: value, high: value })

/** Hours at 1 CU, of which an hour costs 1. */
const totalsOf = (awake: number, parts: Partial<Totals> = {}): Totals => ({
  ...NO_TOTALS,
  awake: same(millis(awake * HOUR)),
  cuTime: { 1000000: same(cuMillis(awake * HOUR)) },
  ...parts,
})
const after = (totals: Totals, before: PublishedCounters = NO_PUBLISHED_COUNTERS) =>
  raiseCounters(before, totals, micros(1_000_000))

test('each cause has what its time cost, and the time of clients none', () => {
  const held = {
    'clients/web//': millis(3 * HOUR),
    'idle-in-transaction/web//': millis(HOUR),
    'keep-alive/pool//': millis(HOUR / 2),
    'keep-alive/other//': millis(HOUR / 4),
    'autosuspend-off///': millis(HOUR),
  }
  const totals = totalsOf(10, {
    idleTail: millis(2 * HOUR),
    observerOverhead: millis(HOUR / 10),
    attribution: held,
  })
  expect(after(totals).unproductive).toEqual({
    idle_tail: 2e6,
    dormouse: 1e5,
    idle_in_transaction: 1e6,
    keep_alive: 7.5e5,
  })
})

test('time that two causes claim is counted once, and what turns out to have been for something is not taken back', () => {
  const twice = totalsOf(3, {
    idleTail: millis(2 * HOUR),
    attribution: { 'keep-alive/pool//': millis(2 * HOUR) },
  })
  const first = after(twice)
  expect(first.unproductive).toEqual({ idle_tail: 2e6, keep_alive: 1e6 })
  expect(after(totalsOf(3), first).unproductive).toEqual({ idle_tail: 2e6, keep_alive: 1e6 })
})

test('however totals are restated no cause falls, and together they are no more than the spend that is shown', () => {
  const hours = fc.double({ min: 0, max: 20, noNaN: true }).map((value) => millis(Math.round(value * HOUR)))
  const restated = fc.record({
    awake: fc.integer({ min: 0, max: 20 }),
    idleTail: hours,
    extension: hours,
    held: fc.dictionary(
      fc.constantFrom('clients/a//', 'keep-alive/a//', 'replication///', 'autovacuum///', 'other///'),
      hours,
    ),
  })
  check(
    fc.property(fc.array(restated, { maxLength: 10 }), (all) => {
      let before = NO_PUBLISHED_COUNTERS
      for (const { awake, ...parts } of all) {
        const now = after(totalsOf(awake, parts), before)
        for (const cause of UNPRODUCTIVE_CAUSES)
          expect(now.unproductive?.[cause] ?? 0).toBeGreaterThanOrEqual(before.unproductive?.[cause] ?? 0)
        expect(sumUnproductive(now.unproductive ?? {})).toBeLessThanOrEqual(now.spend)
        before = now
      }
    }),
  )
})
