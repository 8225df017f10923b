// Awake time added by observation under faults, compared with the simulation's truth.
import { expect, test } from 'vitest'
import { lifeAlone, simulateWeek, type WeekOptions } from './week.ts'
import type { Use, Wire } from './world.ts'

const MINUTE = 60_000

/** Awake seconds of all computes with nobody to watch, the seconds that a daemon adds, and the wakes that Dormouse caused. */
async function added(
  options: Omit<WeekOptions, 'seed' | 'readings'>,
): Promise<{ alone: number; more: number; wakesCaused: number }> {
  const { world } = await simulateWeek({ ...options, seed: 9 })
  const until = world.simulation.now()
  const accounts = world.simulation.usages(until)
  const alone = awakeOf(lifeAlone({ ...options, seed: 9 }, until))
  const caused = accounts
    .flatMap(({ wakes }) => wakes)
    .filter(({ cause }) => cause.applicationName === 'dormouse')
  return { alone, more: awakeOf(accounts) - alone, wakesCaused: caused.length }
}

const awakeOf = (usages: ReturnType<typeof lifeAlone>): number =>
  usages.reduce((sum, { awakeSeconds }) => sum + awakeSeconds, 0)

const once: readonly Use[] = [{ endpointId: 'ep-a', delay: 3600, activity: [10 * MINUTE] }]

test('a disk that is full keeps no compute awake', async () => {
  const { more, wakesCaused } = await added({
    uses: () => once,
    days: 2,
    storeFails: (elapsed) => elapsed > 300,
  })
  expect(more).toBeLessThanOrEqual(3600)
  expect(wakesCaused).toBe(0)
})

test('a store that fails in every second pass hides no reading', async () => {
  const { more, wakesCaused } = await added({
    uses: () => once,
    days: 2,
    storeFails: (elapsed) => Math.floor(elapsed / 60) % 2 === 1,
  })
  expect(more).toBeLessThanOrEqual(3600)
  expect(wakesCaused).toBe(0)
})

/** A query a minute for two days, then nobody. */
const chatty: readonly Use[] = [
  {
    endpointId: 'ep-a',
    delay: 3600,
    activity: Array.from({ length: 2879 }, (_, minute) => (minute + 1) * MINUTE + 3000),
  },
]

test.each([-3600, -14, 30, 3600])('a clock that is off by %d s keeps no compute awake', async (skew) => {
  const { alone, more, wakesCaused } = await added({ uses: () => chatty, days: 3, skew })
  expect(more).toBeLessThanOrEqual(0.01 * alone + 3600)
  expect(wakesCaused).toBe(0)
})

/** Four sessions of an hour a day, a query a minute, for four days. */
const sessions = Array.from({ length: 4 }, (_, day) => day).flatMap((day) =>
  [0, 6, 12, 18].flatMap((hour) =>
    Array.from(
      { length: 60 },
      (_, minute) =>
        ((day * 24 + hour) * 60 + minute) * MINUTE +
        17_000 +
        ((day * 7919 + hour * 104_729 + minute * 31) % 40_000),
    ),
  ),
)

test.each([600, 3600])('with a delay of %d s readings stay in their budget', async (delay) => {
  const uses = [{ endpointId: 'ep-a', delay, activity: sessions }]
  const { alone, more, wakesCaused } = await added({ uses: () => uses, days: 4 })
  expect(more).toBeLessThanOrEqual(0.01 * alone + delay)
  expect(wakesCaused).toBe(0)
})

const siblings: readonly Use[] = ['ep-a', 'ep-b', 'ep-c'].map((endpointId, index) => ({
  endpointId,
  delay: 300,
  activity: Array.from({ length: 8 }, (_, hour) => (hour * 60 + index * 7 + 5) * MINUTE),
}))

const fromNextCentury = (record: Wire): Wire =>
  record['id'] === 'ep-b' ? { ...record, updated_at: '2096-01-01T00:00:00Z' } : record

test.each([
  ['says the time', undefined],
  ['does not', 'none' as const],
])('a record from the next century moves no sibling, when the service %s', async (_, dates) => {
  const { ledger, events, world } = await simulateWeek({
    seed: 3,
    uses: () => siblings,
    days: 0.4,
    readings: 'off',
    dates,
    twisted: fromNextCentury,
  })
  const accounts = [...ledger.computes.values()]
  expect(accounts.map(({ ref }) => ref.endpointId)).toEqual(['ep-a', 'ep-c'])
  for (const { ref, totals } of accounts) {
    const truth = world.simulation
      .usages(world.simulation.now())
      .find(({ endpointId }) => endpointId === ref.endpointId)
    expect(totals).toMatchObject({ wakes: 8, suspends: 8 })
    expect(totals.awake.low).toBeLessThanOrEqual(1000 * (truth?.awakeSeconds ?? 0))
    expect(totals.awake.high).toBeGreaterThanOrEqual(1000 * (truth?.awakeSeconds ?? 0))
  }
  const problems = events.flatMap((event) =>
    event.kind === 'problem' ? [`${event.where}: ${event.message}`] : [],
  )
  expect([...new Set(problems)]).toEqual([
    'compute ep-b: updated_at: 2096-01-01T00:00:00Z is a time to come, allowed are 3 s: this record is left out',
  ])
})
