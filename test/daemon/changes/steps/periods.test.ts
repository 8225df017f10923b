// Sizes that a hard budget lowers, over several periods.
/* oxlint-disable no-await-in-loop -- one pass after the other */
import { expect, test } from 'vitest'
import { cu } from '../../../../src/model/units.ts'
import { budgetWorld, DAY, type BudgetWorld } from './step-world.ts'

const HOUR = 3600
const RANGE = { min: cu(0.25), max: cu(2) }
const LOW = { fixed: cu(0.25) }

/** Sizing of `ep-0` after the rung of a day is reached at noon, and after the day. */
async function day(world: BudgetWorld, number: number) {
  world.at(number * DAY + 12 * HOUR)
  world.reach(100)
  await world.pass()
  const reached = world.settingsOf('ep-0').sizing
  world.restart()
  world.at((number + 1) * DAY + 120)
  world.reach()
  await world.pass()
  world.restart()
  world.at((number + 1) * DAY + 240)
  await world.pass()
  return [reached, world.settingsOf('ep-0').sizing]
}

test('a size is lowered and raised again in each period, with the daemon restarted in between', async () => {
  const world = await budgetWorld()
  for (const number of [0, 1, 2]) expect(await day(world, number)).toEqual([LOW, RANGE])
  expect(world.problems).toEqual([])
})

test('a size that a person set in between is what the next period puts back', async () => {
  const world = await budgetWorld()
  const theirs = { min: cu(0.5), max: cu(4) }
  world.at(12 * HOUR)
  world.reach(100)
  await world.pass()
  expect(world.settingsOf('ep-0').sizing).toEqual(LOW)
  world.at(13 * HOUR)
  world.restart()
  await world.set('ep-0', { sizing: theirs })
  await world.pass()
  world.at(DAY + 120)
  world.reach()
  await world.pass()
  expect(world.settingsOf('ep-0').sizing).toEqual(theirs)
  expect(await day(world, 1)).toEqual([{ fixed: cu(0.5) }, theirs])
})

test('a put-back that waits is not needed while the rung is reached again, and comes after that period', async () => {
  const world = await budgetWorld()
  world.at(12 * HOUR)
  world.reach(100)
  await world.pass()
  world.at(DAY + 120)
  world.reach()
  await world.decide()
  world.restart()
  world.at(DAY + HOUR)
  world.reach(100)
  await world.decide()
  await world.pass()
  expect(world.settingsOf('ep-0').sizing).toEqual(LOW)
  world.restart()
  world.at(2 * DAY + 120)
  world.reach()
  await world.pass()
  expect(world.settingsOf('ep-0').sizing).toEqual(RANGE)
})
