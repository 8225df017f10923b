// A daemon whose clock differs from the service's: its evidence stays small, and its bounds contain the truth.
import { expect, test } from 'vitest'
import { totalsWithAccrual } from '../../src/ledger/settle/accrual.ts'
import type { ComputeEntry } from '../../src/model/ledger/ledger.ts'
import { after, seconds } from '../../src/model/units.ts'
import { prices } from '../support/build.ts'
import { longTest, splitCases } from '../support/tiers.ts'
import { simulateWeek, type Week, type WeekOptions } from './week.ts'

const SECOND = 1000
const MINUTE = 60_000
const HOUR = 60
const DAY = 86_400

const aQueryAMinute = (minutes: number): readonly number[] =>
  Array.from({ length: minutes }, (_, minute) => (minute + 1) * MINUTE + 3000)

type Clocks = Pick<WeekOptions, 'skew' | 'steps' | 'sleeps' | 'dates'>

/** Where responses have a date, any clock of ours will do. */
const DATED: readonly (readonly [string, Clocks])[] = [
  ...[0, 4, -4, 14, 59, -30, 300, -600, 1800, 7200, -7200, DAY, -DAY, 70 * 365 * DAY].map(
    (skew) => [`off by ${skew} s`, { skew }] as const,
  ),
  ['set forward and back', { steps: [{ at: 3000, by: 3600 }, { at: 9000, by: -3600 }] }], // prettier-ignore
  ['a day ahead, then put right', { skew: DAY, steps: [{ at: 4000, by: -DAY }] }],
  ['stopped while the machine slept', { sleeps: [{ at: 3630, for: 1200 }, { at: 15_030, for: 5400 }] }], // prettier-ignore
  ...[500, 1000].flatMap((validFor) =>
    [0, 250, 499, 990].map(
      (phase) =>
        [
          `and a date kept for ${validFor} ms from ${phase} on`,
          { dates: { kept: validFor, phase } },
        ] as const,
    ),
  ),
  ['stopped in the middle of a pass', { sleeps: [{ at: 3600.07, for: 1200 }, { at: 9000.13, for: 900 }] }], // prettier-ignore
]

/** Without dates our clock must be right within three seconds when the process starts. */
const UNDATED: readonly (readonly [string, Clocks])[] = [
  ...[0, 1.5, -1.5, 2.9, -2.9].map((skew) => [`off by ${skew} s`, { skew, dates: 'none' }] as const),
  ['set forward and back', { dates: 'none', steps: [{ at: 3000, by: 3600 }, { at: 9000, by: -3600 }] }], // prettier-ignore
]

/** In turn with and without readings. */
const cases = [...DATED, ...UNDATED].map(([name, clocks], index) => {
  const readings = index % 2 === 0 ? ('full' as const) : ('off' as const)
  return [
    `${clocks.dates === 'none' ? 'untold, ' : ''}${name}, readings ${readings}`,
    { ...clocks, readings },
  ] as const
})

/** One case always runs. */
const [shortCases, otherCases] = splitCases(cases, cases.length)

type ClockCase = Clocks & Pick<WeekOptions, 'readings'>

async function watched(hours: number, used: number, how: Partial<WeekOptions>): Promise<Week> {
  const uses = [{ endpointId: 'ep-a', delay: 3600, activity: aQueryAMinute(used * HOUR) }]
  return simulateWeek({ ...how, seed: 9, uses: () => uses, days: hours / 24 })
}

const accountOf = ({ ledger }: Week): ComputeEntry => {
  const [account] = [...ledger.computes.values()]
  if (!account) throw new Error('the compute has no account')
  return account
}

test('what goes on is counted until now, however long it may be later', async () => {
  const published: (readonly [now: number, { readonly likely: number; readonly high: number }])[] = []
  const { world } = await watched(9, 2, {
    readings: 'off',
    passed: ({ ledger, clock: { offset, uncertainty } }, now) => {
      const then = after(now, seconds(offset / SECOND))
      const context = {
        prices,
        project: undefined,
        now: then,
        atMost: after(then, seconds(uncertainty / SECOND)),
      }
      for (const account of ledger.computes.values())
        if (account.current) published.push([now, totalsWithAccrual(account, context).awake])
    },
  })
  const startedAt = world.simulation.usages(world.simulation.now())[0]?.intervals[0]?.from ?? 0
  expect(published.length).toBeGreaterThan(100)
  const off = published.map(([now, { likely, high }]) => ({
    likely: likely - (now - startedAt),
    high: high - (now - startedAt),
  }))
  // the record dates the start to a whole second
  expect(off.filter(({ likely }) => Math.abs(likely) > SECOND / 2)).toEqual([])
  expect(off.filter(({ high }) => high < 0)).toEqual([])
})

/** Hours of use: evidence has long stopped growing. */
const USED = 7

async function expectTrueAccount(_: string, how: ClockCase): Promise<void> {
  const largest = { activities: 0, ownSessions: 0, states: 0, unsettled: 0 }
  const week = await watched(USED + 3, USED, {
    ...how,
    passed: ({ ledger }) => {
      for (const { evidence, settledUntil, appliedAt } of ledger.computes.values()) {
        if (settledUntil === 0) continue
        largest.activities = Math.max(largest.activities, evidence.activities.length)
        largest.ownSessions = Math.max(largest.ownSessions, evidence.ownSessions.length)
        largest.states = Math.max(largest.states, evidence.states.length)
        largest.unsettled = Math.max(largest.unsettled, appliedAt - settledUntil)
      }
    },
  })
  // An hour and a quarter of activity; a reading in 5 minutes at most.
  expect(largest.activities).toBeLessThan(90)
  expect(largest.ownSessions).toBeLessThan(30)
  expect(largest.states).toBeLessThan(10)
  expect(largest.unsettled).toBeLessThan(2 * HOUR * MINUTE)
  const [truth] = week.world.simulation.usages(week.world.simulation.now())
  const { totals, current } = accountOf(week)
  const awake = SECOND * (truth?.awakeSeconds ?? 0)
  expect(current).toBeUndefined()
  expect(totals).toMatchObject({ wakes: 1, suspends: 1 })
  expect(totals.awake.low).toBeLessThanOrEqual(awake)
  expect(totals.awake.high).toBeGreaterThanOrEqual(awake)
}
test.each(shortCases)('with a clock %s, evidence is bounded and the account right', expectTrueAccount)
longTest.each(otherCases)('with a clock %s, evidence is bounded and the account right', expectTrueAccount)
