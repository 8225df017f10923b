// Computes whose size changes unobserved inside their range: the service's metering shows where in the range they were.
import { expect, test } from 'vitest'
import { cuTimeSum } from '../../src/ledger/settle/cu-time.ts'
import type { Random } from '../../src/model/ports/clock.ts'
import { seeded } from './seeded.ts'
import { simulateWeek, type Week, type WeekOptions } from './week.ts'
import type { Count, Use } from './world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 1440 * MINUTE
const DAYS = 1.5

/** Random wakes of about twenty minutes; in the middle of each the size goes up and down again. */
function burstsOf(random: Random, name: number): Use {
  const activity: number[] = []
  const goals: { at: number; cu: number }[] = []
  const largest = [1, 2, 4][name % 3] ?? 1
  for (let at = random.unit() * 300 * MINUTE; at < DAYS * DAY; at += (30 + random.unit() * 300) * MINUTE) {
    const length = (2 + random.unit() * 36) * MINUTE
    goals.push({ at: at + 0.3 * length, cu: largest * (0.5 + random.unit() / 2) })
    goals.push({ at: at + 0.7 * length, cu: 0.5 })
    const end = at + length
    for (; at < end; at += 10_000 + random.unit() * 40_000) activity.push(Math.round(at))
  }
  return {
    endpointId: `ep-${name}`,
    delay: name % 2 === 0 ? 60 : 300,
    activity,
    range: [0.25, largest],
    goals,
  }
}

const uses = (random: Random): readonly Use[] =>
  Array.from({ length: 4 }, (_, name) => burstsOf(random, name))

const options: WeekOptions = { seed: 5, uses, days: DAYS, readings: 'off' }

const late =
  (lag: number): Count =>
  (usedUntil, now) =>
    usedUntil(now - lag * 1000)

/** Metered once an hour. */
const hourly: Count = (usedUntil, now) => usedUntil(now - (now % HOUR))

const ofKind = ({ events }: Week, kind: string): readonly unknown[] =>
  events.filter((event) => event.kind === kind)

/** The error of all, and how many lie outside their bounds; up to a minute at the largest size is not observed yet. */
function judged({ ledger, world }: Week) {
  const pairs = world.simulation.usages(world.simulation.now()).map(({ endpointId, cuSeconds }) => {
    const account = [...ledger.computes.values()].find(({ ref }) => ref.endpointId === endpointId)
    if (!account) throw new Error(`${endpointId} is not in the ledger`)
    return { real: cuSeconds * 1000, ...cuTimeSum(account.totals.cuTime) }
  })
  const sum = (pick: (pair: (typeof pairs)[number]) => number): number =>
    pairs.reduce((all, pair) => all + pick(pair), 0)
  const real = sum((pair) => pair.real)
  return {
    error: Math.abs(sum(({ likely }) => likely) - real) / real,
    outside: pairs.filter((pair) => pair.low > pair.real || pair.real > pair.high + MINUTE * 4).length,
  }
}

test('metering shows where in their ranges computes were, however late it is', async () => {
  const blind = judged(await simulateWeek(options))
  const counted = await Promise.all(
    [late(0), late(900), hourly].map((count) => simulateWeek({ ...options, count })),
  )
  const results = counted.map(judged)
  expect(counted.flatMap((week) => ofKind(week, 'count-off'))).toEqual([])
  expect([blind, ...results].map(({ outside }) => outside)).toEqual([0, 0, 0, 0])
  const [prompt, usual, steps] = results.map(({ error }) => error / blind.error)
  expect(prompt).toBeLessThan(0.1)
  expect(usual).toBeLessThan(0.1)
  expect(steps).toBeLessThan(0.25)
})

test('metering that makes no sense leaves the bounds true', async () => {
  const chance = seeded(9)
  const senseless: Count = (usedUntil, now) => {
    const unit = chance.unit()
    return unit < 0.6 ? usedUntil(now) : usedUntil(now) * unit * 3 + (unit > 0.95 ? 10 ** 12 : 0)
  }
  const { outside } = judged(await simulateWeek({ ...options, count: senseless }))
  expect(outside).toBe(0)
})

/** One compute of one size. */
const fixed = (random: Random): readonly Use[] =>
  uses(random)
    .slice(0, 1)
    .map(({ endpointId, delay, activity }) => ({ endpointId, delay, activity }))

const half: Count = (usedUntil, now) => 1.5 * usedUntil(now)

test('a service that meters more than was used is reported once', async () => {
  const week = await simulateWeek({ ...options, uses: fixed, count: half })
  const [project] = week.ledger.projects.values()
  expect(project?.metering?.reconciliation?.outside).toBeCloseTo(1 / 3, 1)
  expect(ofKind(week, 'count-off')).toHaveLength(1)
  expect(ofKind(week, 'count-agrees')).toEqual([])
})
