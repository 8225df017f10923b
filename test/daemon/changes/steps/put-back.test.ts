// Which steps are put back after their period, and when, with the real decision and journal.
import { expect, test } from 'vitest'
import { seconds } from '../../../../src/model/units.ts'
import { budgetWorld, DAY } from './step-world.ts'

test('a step for which nothing had to be sent is not put back', async () => {
  const world = await budgetWorld()
  world.reach(80)
  await world.decide()
  world.at(7200)
  await world.set('ep-0', { autosuspendDelay: seconds(60) })
  await world.endUnsent()
  world.at(DAY + 60)
  world.reach()
  await world.pass()
  expect(world.settingsOf('ep-0').autosuspendDelay).toBe(60)
})
