// A day of random use under random faults: what must hold whatever happens. FAULT_SEEDS sets the number of days.
import { expect, test } from 'vitest'
import type { Random } from '../../../src/model/ports/clock.ts'
import { seconds } from '../../../src/model/units.ts'
import type { SimulatedProject } from '../../support/simulated-service.ts'
import { bySize } from '../../support/tiers.ts'
import { seeded } from '../seeded.ts'
import { compare, outside, type Comparison } from './bounds.ts'
import { at, runDays } from './days.ts'
import type { Fault, Outage, Route } from './faults.ts'

const HOUR = 3600
const LENGTH = 24 * HOUR
/** Nothing fails in the last hours, in which everything must be found out. */
const CALM_FROM = LENGTH - 2 * HOUR
const INTERVAL = 60
const SEEDS = Number(process.env['FAULT_SEEDS'] ?? bySize(20, 2))

const pick = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random.unit() * items.length)] ?? items[0]

/** Always at work, hourly, 60 wakes a day, rarely, or without autosuspend. */
function project(random: Random, index: number): SimulatedProject {
  const pause = pick(random, [150, 3600, 1440, 20_000])
  const activity: number[] = []
  for (let elapsed = 60 * index; elapsed < LENGTH; elapsed += pause * (0.5 + random.unit()))
    activity.push(at(elapsed))
  return { name: `project-${index}`, suspendTimeoutSeconds: pick(random, [60, 300, 900, -1]), activity }
}

function fault(random: Random): Fault {
  const outage = pick<Outage>(random, [404, 403, 302, 423, 429, 500, 503, 'html', 'malformed', 'hang'])
  const from = random.unit() * (CALM_FROM - HOUR)
  return {
    from,
    to: Math.min(CALM_FROM, from + pick(random, [300, 1800, 2 * HOUR, 6 * HOUR])),
    outage,
    ...pick<{ route?: Route }>(random, [
      {},
      { route: 'list_projects' },
      { route: 'list_computes' },
      { route: 'list_operations' },
    ]),
    chance: pick(random, [0.2, 0.9, 1]),
    ...(outage === 429 && { retryAfter: pick(random, [2, 30]) }),
  }
}

const isClose = ({ likely, truth }: Comparison): boolean => Math.abs(likely - truth) <= 0.01 * truth + 5

test.each(Array.from({ length: SEEDS }, (_, seed) => seed))('seed %i', async (seed) => {
  const random = seeded(seed)
  const missed: unknown[] = []
  const { passes, events, state } = await runDays({
    seed,
    projects: Array.from({ length: 6 }, (_, index) => project(random, index)),
    faults: Array.from({ length: 4 }, () => fault(random)),
    length: seconds(LENGTH),
    passed: (pass) => missed.push(...outside(compare(pass)).map((one) => ({ ...one, at: pass.at }))),
  })
  expect(missed).toEqual([])
  const last = passes.at(-1)
  expect(last && compare(last).filter((one) => !isClose(one))).toEqual([])
  expect(Math.max(...passes.map(({ took }) => took))).toBeLessThan(2 * INTERVAL)
  expect(events.filter(({ kind }) => kind === 'compute-gone')).toEqual([])
  expect(state.service.status).toBe('ok')
  for (const { evidence } of state.ledger.computes.values()) {
    const entries = Object.values(evidence).reduce(
      (sum, facts) => sum + (Array.isArray(facts) ? facts.length : 0),
      0,
    )
    expect(entries).toBeLessThan(100)
    expect(JSON.stringify(evidence).length).toBeLessThan(20_000)
  }
})
