// Steps of schedules, from the opening of a window to its end, beside those of budgets, with the real decision and journal.
import { describe, expect, test } from 'vitest'
import { seconds } from '../../../../src/model/units.ts'
import { at } from '../../../support/build.ts'
import { ALWAYS_RULE, budgetWorld, DAY, made, OFFICE_RULE } from './step-world.ts'

describe('a schedule', () => {
  const [MORNING, NOON, EVENING] = [8, 12, 19].map((hour) => hour * 3600) as [number, number, number]

  test('sets its delay when its window opens, once, and puts it back when it has closed, each day', async () => {
    const world = await budgetWorld([OFFICE_RULE])
    const delays: unknown[] = []
    for (const time of [MORNING, NOON, NOON + 60, EVENING, EVENING + 60, DAY + NOON, DAY + EVENING]) {
      world.at(time)
      world.restart()
      // oxlint-disable-next-line no-await-in-loop -- one pass after the other
      await world.pass()
      delays.push(world.settingsOf('ep-0').autosuspendDelay)
    }
    expect(delays).toEqual([300, 900, 900, 300, 300, 900, 300])
    expect((await made(world)).map(([, , , reason]) => reason)).toEqual([
      'the window office is open',
      'puts back ch-00000001: the window office has closed',
      'the window office is open',
      'puts back ch-00000003: the window office has closed',
    ])
  })

  test('leaves a delay that a person set while its window was open', async () => {
    const world = await budgetWorld([OFFICE_RULE])
    world.at(NOON)
    await world.pass()
    await world.set('ep-0', { autosuspendDelay: seconds(120) })
    await world.pass()
    world.at(EVENING)
    await world.pass()
    expect(world.settingsOf('ep-0').autosuspendDelay).toBe(120)
    expect(await made(world)).toHaveLength(1)
  })

  test('waits for the end of a period whose budget shortened the delay', async () => {
    const world = await budgetWorld([OFFICE_RULE])
    world.at(MORNING)
    world.reach(80)
    await world.pass()
    world.at(NOON)
    await world.pass()
    expect(world.settingsOf('ep-0').autosuspendDelay).toBe(60)
    expect((await world.decisions())[0]?.steps).toEqual(
      [
        { origin: { by: 'budget', name: 'preview', rung: 80, period: at(0) }, because: 'made-before' },
        { origin: { by: 'schedule', name: 'office', period: at(9 * 3600) }, because: 'budget' },
      ].slice(1),
    )
  })

  test('waits for no step of a budget that a person has rejected', async () => {
    const world = await budgetWorld([{ ...OFFICE_RULE, mode: 'approve' }])
    world.at(MORNING)
    world.reach(80)
    await world.decide()
    const [step] = await world.changes()
    if (!step) throw new Error('no step was proposed')
    await world.end(step, 'rejected')
    world.at(NOON)
    await world.decide()
    expect((await made(world)).map(([, , , reason]) => reason)).toEqual([
      '80 % of the budget preview',
      'the window office is open',
    ])
  })

  test('goes before a budget that is nearly spent later: its delay stays until the window has closed', async () => {
    const world = await budgetWorld([OFFICE_RULE])
    world.at(NOON)
    await world.pass()
    world.reach(80)
    await world.pass()
    expect(world.settingsOf('ep-0').autosuspendDelay).toBe(900)
    expect((await world.decisions())[0]?.steps).toMatchObject([
      { origin: { by: 'budget' }, because: 'schedule' },
    ])
    world.at(EVENING)
    await world.pass()
    await world.pass()
    expect(world.settingsOf('ep-0').autosuspendDelay).toBe(60)
  })

  test('of a window that is always open asks once, and waits on, however many days pass', async () => {
    const world = await budgetWorld([ALWAYS_RULE])
    for (const day of [0, 1, 2, 3]) {
      world.at(day * DAY + NOON)
      // oxlint-disable-next-line no-await-in-loop -- one pass after the other
      await world.decide()
    }
    expect((await world.changes()).map(({ state }) => state.at)).toEqual(['scheduled'])
  })

  test('of a window that is always open leaves what a person set afterwards', async () => {
    const world = await budgetWorld([ALWAYS_RULE])
    world.at(NOON)
    await world.pass()
    await world.set('ep-0', { autosuspendDelay: seconds(120) })
    for (const day of [1, 2, 3]) {
      world.at(day * DAY + NOON)
      // oxlint-disable-next-line no-await-in-loop -- one pass after the other
      await world.pass()
    }
    expect(world.settingsOf('ep-0').autosuspendDelay).toBe(120)
  })
})
