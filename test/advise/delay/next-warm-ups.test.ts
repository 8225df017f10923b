import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planWarmUps } from '../../../src/advise/delay/next-warm-ups.ts'
import type { AdviseInput } from '../../../src/advise/input.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { HOUR, seconds } from '../../../src/model/units.ts'
import { adviseEntry } from '../../support/advise-input.ts'
import { at } from '../../support/build.ts'
import { bySize } from '../../support/tiers.ts'
import { delayInput, gapsOf, HOURLY } from './delay-input.ts'

const WAKE_COST = seconds(1800)

/** Clients came by `gaps`, the last one at `at(0)`; the compute has slept since, and is looked at after 20 minutes. */
const sleeping = (gaps: AdviseInput['gaps'], record: Partial<Compute> = {}) =>
  delayInput({
    gaps,
    entry: adviseEntry(
      { observedAt: at(1200) },
      {
        autosuspendDelay: seconds(300),
        lastActive: at(0),
        startedAt: at(-60),
        suspendedAt: at(300),
        ...record,
      },
    ),
  })

test('clients that come every hour are met: a start a minute before, which the gaps before pay for', () => {
  const { gapFrom, starts, because, backtest } = planWarmUps(sleeping(gapsOf(HOURLY)), WAKE_COST)
  expect([gapFrom, because]).toEqual([at(0), undefined])
  const [first, second] = starts
  // a gap of 59 minutes, and a step of one minute ahead
  expect(first).toBe(at(58 * 60))
  expect(second).toBeUndefined()
  expect(backtest.gaps).toBe(240)
  expect(backtest.came).toBeGreaterThan(0.9 * backtest.predicted)
  // each that came saves a wake at its price, for a minute awake and the start
  expect(backtest.saved).toBeGreaterThan(0.8 * backtest.came * (1800 - 65))
})

const random = (index: number) => 400 + ((index * 7919) % 61) * 400

test.each<[string, AdviseInput, number, string]>([
  ['unseen', sleeping(gapsOf(HOURLY), { lastActive: undefined }), 1800, 'unseen'],
  [
    'never asleep',
    sleeping(gapsOf(HOURLY), { autosuspendDelay: 'never', state: 'active' }),
    1800,
    'autosuspend-off',
  ],
  ['a wake that costs a delay and a minute', sleeping(gapsOf(HOURLY)), 360, 'wake-cost'],
  ['four gaps', sleeping(gapsOf(HOURLY).slice(-4)), 1800, 'few-gaps'],
  ['gaps of any length', sleeping(gapsOf(random)), 480, 'no-gain'],
])('nothing is started: %s', (_, input, wakeCost, because) => {
  expect(planWarmUps(input, seconds(wakeCost))).toMatchObject({ starts: [], because })
})

test('a wake that costs a second more than the delay and a minute may be worth a start', () => {
  expect(planWarmUps(sleeping(gapsOf(HOURLY)), seconds(361)).because).not.toBe('wake-cost')
})

test('for all gaps: starts lie behind the delay, in order, a delay apart, and the same past gives the same plan', () => {
  const lengths = fc.array(fc.integer({ min: 60, max: 20_000 }), { minLength: 5, maxLength: 80 })
  fc.assert(
    fc.property(lengths, fc.integer({ min: 400, max: 20_000 }), (all, wakeCost) => {
      const gaps = gapsOf((index) => all[index % all.length] ?? 60)
      const input = sleeping(gaps)
      const plan = planWarmUps(input, seconds(wakeCost))
      expect(planWarmUps(JSON.parse(JSON.stringify(input)) as AdviseInput, seconds(wakeCost))).toEqual(plan)
      let earliest = at(300)
      for (const start of plan.starts) {
        expect(start).toBeGreaterThan(earliest)
        expect(start).toBeLessThan(at(0) + 3 * HOUR)
        earliest = at((start - at(0)) / 1000 + 300)
      }
      expect(plan.starts.length === 0).toBe(plan.because !== undefined)
      expect(plan.backtest.came).toBeLessThanOrEqual(plan.backtest.predicted)
    }),
    { numRuns: bySize(50, 10) },
  )
})
