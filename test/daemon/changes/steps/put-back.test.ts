// Which steps are put back after their period, and when, with the real decision and journal.
import { expect, test } from 'vitest'
import { seconds } from '../../../../src/model/units.ts'
import { budgetWorld, DAY, OFFICE_RULE } from './step-world.ts'

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

test('a put-back that expired is tried again', async () => {
  const world = await budgetWorld()
  world.reach(80)
  await world.pass()
  world.reach()
  world.at(DAY + 60)
  await world.decide()
  const back = (await world.changes()).at(-1)
  if (!back) throw new Error('nothing is put back')
  world.at(15 * DAY + 120)
  await world.end(back, 'expired')
  await world.decide()
  world.restart()
  await world.pass()
  expect(world.settingsOf('ep-0').autosuspendDelay).toBe(300)
  await world.pass()
  expect(await world.changes()).toHaveLength(3)
})

test('a put-back that waits expires when its value is asked for again, and comes after that', async () => {
  const world = await budgetWorld([OFFICE_RULE])
  const [noon, evening] = [12 * 3600, 19 * 3600] as const
  world.at(noon)
  await world.pass()
  world.at(evening)
  await world.decide()
  world.at(DAY + noon)
  await world.decide()
  const last = (await world.changes()).at(-1)
  expect(last).toMatchObject({
    reason: 'puts back ch-00000001: the window office has closed',
    state: { at: 'expired', because: 'its value is asked for again' },
  })
  await world.pass()
  expect(world.settingsOf('ep-0').autosuspendDelay).toBe(900)
  world.at(DAY + evening)
  await world.pass()
  expect(world.settingsOf('ep-0').autosuspendDelay).toBe(300)
  expect(world.problems).toEqual([])
})
