// A daemon whose clock is not the service's: what it keeps stays small, and what it counts stays right.
import { expect, test } from 'vitest'
import type { ComputeAccount } from '../../src/model/ledger.ts'
import { LATENESS } from '../../src/model/transition.ts'
import { simulateWeek, type Week } from './week.ts'

const SECOND = 1000
const MINUTE = 60_000
const HOUR = 60

const aQueryAMinute = (minutes: number): readonly number[] =>
  Array.from({ length: minutes }, (_, minute) => (minute + 1) * MINUTE + 3000)

const skews = [-7200, -600, -30, -4, 0, 4, 14, 30, 59, 300, 1800, 7200].flatMap((skew) =>
  (['full', 'off'] as const).map((readings) => ({ skew, readings })),
)

async function watched(hours: number, used: number, how: (typeof skews)[number]): Promise<Week> {
  const uses = [{ endpointId: 'ep-a', delay: 3600, activity: aQueryAMinute(used * HOUR) }]
  return simulateWeek({ ...how, seed: 9, uses: () => uses, days: hours / 24 })
}

const accountOf = ({ ledger }: Week): ComputeAccount => {
  const [account] = [...ledger.computes.values()]
  if (!account) throw new Error('the compute has no account')
  return account
}

test.each(skews)('with a clock off by $skew s, readings $readings, evidence is bounded', async (how) => {
  const { evidence, settledUntil, foldedAt } = accountOf(await watched(8, 24, how))
  // An hour and a quarter of activity, and what was shown before the first look by a clock that is ahead; a reading in 5 minutes at most.
  expect(evidence.activities.length).toBeLessThan(90 + Math.max(0, how.skew) / 60)
  expect(evidence.footprints.length).toBeLessThan(30)
  expect(evidence.sightings.length).toBeLessThan(10)
  expect(foldedAt - settledUntil).toBeLessThan(2 * HOUR * MINUTE)
})

/**
 * Looks narrow edges to less than the second of the record where clocks agree, which one that is off by parts of a second feigns. By a
 * clock that is ahead by more than operations are awaited, what a record dates is settled before it is seen, and looks alone date it.
 */
test.each(skews)('with a clock off by $skew s, readings $readings, the account is right', async (how) => {
  const week = await watched(9, 3, how)
  const [truth] = week.world.simulation.accounts(week.world.simulation.now())
  const { totals, open } = accountOf(week)
  const awake = 1000 * (truth?.awakeSeconds ?? 0)
  expect(open).toBeUndefined()
  expect(totals).toMatchObject({ wakes: 1, suspends: 1 })
  const beyond = how.skew > LATENESS ? how.skew * SECOND : SECOND
  expect(totals.awake.low).toBeLessThanOrEqual(awake + beyond)
  expect(totals.awake.high).toBeGreaterThanOrEqual(awake - beyond)
})
