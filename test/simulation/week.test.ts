import { expect, test } from 'vitest'
import { totalsWithAccrual } from '../../src/ledger/settle/accrual.ts'
import { cuTimeSum } from '../../src/ledger/settle/cu-time.ts'
import type { Random } from '../../src/model/ports/clock.ts'
import { instant } from '../../src/model/units.ts'
import { prices } from '../support/build.ts'
import { bySize, longTest } from '../support/tiers.ts'
import { simulateWeek, type Week } from './week.ts'
import type { Use } from './world.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE

/** Instants from `from` to `to` whose distance is between `least` and `most`. */
function every(
  random: Random,
  [from, to]: readonly [number, number],
  [least, most]: readonly [number, number],
): number[] {
  const instants: number[] = []
  for (let at = from; at < to; at += least + random.unit() * (most - least)) instants.push(Math.round(at))
  return instants
}

const days = [0, 1, 2, 3, 4, 5, 6]

/** Office hours, a poller, a nightly job, rare use, no use. */
const fiveUses = (random: Random): readonly Use[] => [
  {
    endpointId: 'ep-office',
    delay: 300,
    activity: days
      .slice(0, 5)
      .flatMap((day) =>
        every(random, [day * DAY + 480 * MINUTE, day * DAY + 1080 * MINUTE], [MINUTE / 6, 15 * MINUTE]),
      ),
  },
  { endpointId: 'ep-chatty', delay: 300, activity: every(random, [MINUTE, 7 * DAY], [MINUTE, 4 * MINUTE]) },
  {
    endpointId: 'ep-nightly',
    delay: 60,
    activity: days.flatMap((day) =>
      every(random, [day * DAY + 120 * MINUTE, day * DAY + 150 * MINUTE], [1000, 20_000]),
    ),
  },
  {
    endpointId: 'ep-rare',
    delay: 600,
    activity: every(random, [MINUTE, 7 * DAY], [10 * MINUTE, 600 * MINUTE]),
  },
  { endpointId: 'ep-nobody', delay: 300, activity: [] },
]

const bytesOf = ({ ledger, events }: Week): string =>
  JSON.stringify({
    computes: [...ledger.computes],
    projects: [...ledger.projects],
    readings: ledger.readings,
    events,
  })

type Judged = {
  readonly outside: readonly string[]
  readonly error: number
  readonly wakesCaused: number
  readonly wakes: readonly (readonly [counted: number, real: number])[]
  readonly observerOverhead: number
  readonly awake: number
}

/** The ledger beside the simulation's truth of the same instant. */
function judged({ ledger, world }: Week): Judged {
  const truth = world.simulation.usages(world.simulation.now())
  const pairs = truth.map((real) => {
    const entry = [...ledger.computes.values()].find(({ ref }) => ref.endpointId === real.endpointId)
    if (!entry) throw new Error(`${real.endpointId} is not in the ledger`)
    return { real, entry }
  })
  const sum = (pick: (pair: (typeof pairs)[number]) => number): number =>
    pairs.reduce((all, pair) => all + pick(pair), 0)
  const likely = sum(({ entry }) => cuTimeSum(entry.totals.cuTime).likely / 1000)
  const real = sum((pair) => pair.real.cuSeconds)
  return {
    outside: pairs.flatMap(({ entry, real: { awakeSeconds, endpointId } }) => {
      const { low, high } = totalsWithAccrual(entry, {
        prices,
        project: undefined,
        now: instant(world.simulation.now()),
      }).awake
      return low <= awakeSeconds * 1000 && awakeSeconds * 1000 <= high + 60_000
        ? []
        : [`${endpointId} ${low} ${awakeSeconds} ${high}`]
    }),
    error: Math.abs(likely - real) / real,
    wakesCaused: sum(
      ({ real: { wakes } }) => wakes.filter(({ cause }) => cause.applicationName === 'dormouse').length,
    ),
    wakes: pairs.map(({ entry, real: { wakes } }) => [entry.totals.wakes, wakes.length] as const),
    observerOverhead: sum(({ entry }) => entry.totals.observerOverhead / 1000),
    awake: sum((pair) => pair.real.awakeSeconds),
  }
}

test('passes over five computes, once a minute, count what was', async () => {
  const length = bySize(3, 0.25)
  const week = await simulateWeek({ seed: 1, uses: fiveUses, days: length })
  expect(week.passes).toBe(length * 1440)
  const { outside, error, wakesCaused, wakes } = judged(week)
  expect(outside).toEqual([])
  expect(error).toBeLessThan(0.005)
  expect(wakesCaused).toBe(0)
  expect(wakes.filter(([counted, real]) => counted !== real)).toEqual([])
})

longTest('the same seed gives the same bytes, another seed others', async () => {
  const [first, again, other] = [
    await simulateWeek({ seed: 1, uses: fiveUses, days: 0.5 }),
    await simulateWeek({ seed: 1, uses: fiveUses, days: 0.5 }),
    await simulateWeek({ seed: 2, uses: fiveUses, days: 0.5 }),
  ]
  expect(bytesOf(again)).toBe(bytesOf(first))
  expect(bytesOf(other)).not.toBe(bytesOf(first))
})

test('a daemon that is killed again and again, and a service that is out now and then, change no account', async () => {
  const week = await simulateWeek({
    seed: 3,
    uses: fiveUses,
    days: bySize(1.5, 0.25),
    crashes: 0.02,
    outages: 0.005,
  })
  const { outside, error, wakesCaused, wakes } = judged(week)
  expect(outside).toEqual([])
  expect(error).toBeLessThan(0.005)
  expect(wakesCaused).toBe(0)
  expect(wakes.filter(([counted, real]) => counted !== real)).toEqual([])
})

longTest('what watching adds is at most a hundredth of the awake time and a delay per compute', async () => {
  const options = { seed: 4, uses: fiveUses, days: 1 } as const
  const watched = judged(await simulateWeek(options))
  const alone = judged(await simulateWeek({ ...options, readings: 'off' }))
  expect(alone.observerOverhead).toBe(0)
  expect(watched.wakesCaused).toBe(0)
  expect(watched.awake - alone.awake).toBeLessThanOrEqual(0.01 * alone.awake)
  expect(watched.awake - alone.awake).toBeGreaterThanOrEqual(0)
})
