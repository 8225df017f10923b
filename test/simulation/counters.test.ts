// The counters that Prometheus reads while processes are killed and owners are edited: none falls.
import { expect, test } from 'vitest'
import { takeSnapshot } from '../../src/daemon/snapshot/snapshot.ts'
import type { PassState } from '../../src/daemon/pass/pass-state.ts'
import { CATALOGUE } from '../../src/outputs/metrics/catalogue.ts'
import { collectSamples } from '../../src/outputs/metrics/collect/collect.ts'
import { createOwners, NO_OWNER, type Owners } from '../../src/model/policy/owner.ts'
import type { Random } from '../../src/model/ports/clock.ts'
import { seconds, type Instant } from '../../src/model/units.ts'
import { preset, prices } from '../support/build.ts'
import { simulateWeek } from './week.ts'
import type { Use } from './world.ts'

const MINUTE = 60_000
const DAY = 86_400
const DAYS = 4

/** Each compute is used at random, with pauses of up to two hours. */
const uses = (random: Random): readonly Use[] =>
  ['ep-a', 'ep-b', 'ep-c'].map((endpointId) => {
    const activity: number[] = []
    for (let at = 0; at < DAYS * DAY * 1000; at += random.unit() * 120 * MINUTE) activity.push(Math.round(at))
    return { endpointId, delay: 300, activity }
  })

const team = (name: string) => ({ ...NO_OWNER, team: name })
const shop: Owners = createOwners([
  { match: { compute: ['ep-a'] }, owner: team('shop') },
  { match: {}, owner: team('web') },
])
const edited: Owners = createOwners([{ match: { compute: ['ep-b'] }, owner: team('shop') }])
const ownersAt = (elapsed: number): Owners => (elapsed < (DAYS / 2) * DAY ? shop : edited)

const FACTS = {
  version: '1',
  nodeVersion: '24',
  tzdata: '2026a',
  mode: 'observe',
  hash: '0',
  detail: 'full',
  perCompute: 'all',
  maxSeries: 100_000,
} as const

function countersOf(state: PassState, now: Instant, owners: Owners): ReadonlyMap<string, number> {
  const context = {
    now,
    version: 1,
    passSeconds: seconds(1),
    staleAfter: seconds(180),
    activityLag: seconds(10),
    owners,
  }
  const snapshot = takeSnapshot([{ state, prices, preset }], context)
  const { samples } = collectSamples(snapshot, FACTS)
  return new Map(
    [...samples].flatMap(([key, all]) =>
      CATALOGUE[key].type === 'counter'
        ? all.labels.map(
            (labels, index) => [`${key} ${labels.join(' ')}`, all.values[index] ?? Number.NaN] as const,
          )
        : [],
    ),
  )
}

test('no counter falls or is lost in days of crashes, outages and owners that are edited in its middle', async () => {
  const fell: string[] = []
  let before: ReadonlyMap<string, number> = new Map()
  let passes = 0
  const { ledger } = await simulateWeek({
    seed: 5,
    uses,
    days: DAYS,
    crashes: 0.02,
    outages: 0.005,
    owners: ownersAt,
    passed: (state, now) => {
      passes += 1
      if (passes % 20 !== 0) return
      const after = countersOf(state, now, ownersAt(passes * 60))
      for (const [series, value] of before)
        if ((after.get(series) ?? -1) < value) fell.push(`${series}: ${value} -> ${after.get(series)}`)
      before = after
    },
  })
  expect(fell).toEqual([])
  const { teams, wakes } = ledger.counters
  const woken = [...ledger.computes.values()].reduce((sum, { counters }) => sum + counters.wakes, 0)
  expect(wakes).toEqual({ dormouse: 0, unknown: woken })
  expect(Object.keys(teams).toSorted()).toEqual(['', 'shop', 'web'])
  const sums = Object.values(teams).map((causes) => Object.values(causes).reduce((sum, one) => sum + one, 0))
  const accounts = [...ledger.computes.values()].map(({ counters }) => ({
    spend: counters.spend,
    wasted: Object.values(counters.unproductive ?? {}).reduce((sum, one) => sum + one, 0),
  }))
  expect(sums.reduce((all, one) => all + one, 0)).toBe(accounts.reduce((all, one) => all + one.wasted, 0))
  for (const { spend, wasted } of accounts) {
    expect(wasted).toBeGreaterThan(0)
    expect(wasted).toBeLessThanOrEqual(spend)
  }
})
