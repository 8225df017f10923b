// Steps of budgets, from a rung that is reached to the period after it, with the real decision and journal.
import { describe, expect, test } from 'vitest'
import { cu, seconds } from '../../../../src/model/units.ts'
import { at } from '../../../support/build.ts'
import { APPLY, budgetWorld, DAY, made, type BudgetWorld } from './step-world.ts'

const DELAY = ['ep-0', 'delay', { autosuspendDelay: 60 }, '80 % of the budget preview']
const SIZE = ['ep-0', 'sizing', { sizing: { fixed: 0.25 } }, '100 % of the budget preview']

test('what is put back within seven days is said, until a change puts it back', async () => {
  const world = await budgetWorld()
  expect(await world.putBacks()).toEqual([])
  world.reach(80, 100)
  await world.pass()
  await world.pass()
  const ofDay = { budget: 'preview', at: at(DAY), computes: 1 }
  expect(await world.putBacks()).toEqual([
    { ...ofDay, kind: 'delay' },
    { ...ofDay, kind: 'sizing' },
  ])
  world.restart()
  expect(await world.putBacks()).toHaveLength(2)
  world.reach()
  world.at(DAY + 60)
  await world.pass()
  expect(await world.putBacks()).toEqual([])
})

test('a step whose change is open is named as made, and not a second time as not made', async () => {
  const world = await budgetWorld()
  const planned = async () => {
    const preview = await world.preview()
    return [preview?.at(80).map(({ because }) => because), preview?.madeAt(80).map(({ state }) => state.at)]
  }
  expect(await planned()).toEqual([[undefined], []])
  world.reach(80)
  await world.decide()
  expect(await planned()).toEqual([[], ['scheduled']])
  const [change] = await world.changes()
  if (!change) throw new Error('no change was made')
  await world.end(change, 'failed')
  await world.decide()
  expect(await planned()).toEqual([['made-before'], ['failed']])
})

describe('a rung that is reached', () => {
  test('changes nothing at 50 %', async () => {
    const world = await budgetWorld()
    world.reach(50)
    await world.pass()
    expect(await made(world)).toEqual([])
  })

  test('shortens delays to their floor at 80 %, of computes that are neither exempt nor outside, once in the period', async () => {
    const world = await budgetWorld()
    world.reach(50, 80)
    for (let passes = 0; passes < 3; passes += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one pass after the other
      await world.pass()
      world.restart()
    }
    expect(await made(world)).toEqual([DELAY])
  })

  test('makes sizes smaller at 100 % of a hard budget, and not of a soft one', async () => {
    const [hard, soft] = [await budgetWorld(), await budgetWorld([APPLY], 'soft')]
    for (const world of [hard, soft]) {
      world.reach(50, 80, 100)
      // oxlint-disable-next-line no-await-in-loop -- one world after the other
      await world.pass()
    }
    expect(await made(hard)).toEqual([DELAY, SIZE])
    expect(await made(soft)).toEqual([DELAY])
  })

  test('is not repeated after its change failed, or after a person set another value', async () => {
    const world = await budgetWorld()
    world.reach(80)
    await world.decide()
    const [change] = await world.changes()
    if (!change) throw new Error('no change was made')
    await world.end(change, 'failed')
    await world.pass()
    world.restart()
    await world.pass()
    expect(await made(world)).toEqual([DELAY])
  })

  test('waits for an approval, or changes nothing, as the policy says', async () => {
    const world = await budgetWorld([{ ...APPLY, mode: 'approve' }])
    world.reach(80)
    await world.decide()
    expect((await world.changes()).map(({ state }) => state.at)).toEqual(['proposed'])
    const other = await budgetWorld([{ ...APPLY, levers: ['sizing'] }])
    other.reach(80)
    await other.decide()
    expect(await other.changes()).toEqual([])
    expect((await other.decisions())[0]?.steps).toEqual([
      { origin: { by: 'budget', name: 'preview', rung: 80, period: at(0) }, because: 'lever' },
    ])
  })
})

const spent = async () => {
  const world = await budgetWorld()
  world.reach(50, 80, 100)
  await world.pass()
  return world
}
const nextDay = async (world: BudgetWorld) => {
  world.at(DAY + 60)
  world.reach()
  await world.pass()
}

describe('what a budget changed', () => {
  test('is put back at the start of the next period, once', async () => {
    const world = await spent()
    await nextDay(world)
    world.restart()
    await world.pass()
    expect(await made(world)).toEqual([
      DELAY,
      SIZE,
      [
        'ep-0',
        'delay',
        { autosuspendDelay: 300 },
        'puts back ch-00000001: the period of the budget preview is over',
      ],
      [
        'ep-0',
        'sizing',
        { sizing: { min: 0.25, max: 2 } },
        'puts back ch-00000002: the period of the budget preview is over',
      ],
    ])
    expect(world.settingsOf('ep-0')).toEqual({ sizing: { min: 0.25, max: 2 }, autosuspendDelay: 300 })
  })

  test('happens again in the next period, and is put back again', async () => {
    const world = await spent()
    await nextDay(world)
    world.reach(80)
    await world.pass()
    world.at(2 * DAY + 60)
    world.reach()
    await world.pass()
    expect((await made(world)).map(([, kind, to]) => [kind, to]).slice(4)).toEqual([
      ['delay', { autosuspendDelay: 60 }],
      ['delay', { autosuspendDelay: 300 }],
    ])
  })

  test('stays while the same rung is reached in the next period, too', async () => {
    const world = await spent()
    world.at(DAY + 60)
    await world.pass()
    expect(await made(world)).toEqual([DELAY, SIZE])
  })

  test('is put back when the budget is gone from the configuration', async () => {
    const world = await spent()
    world.without()
    world.at(7200)
    await world.pass()
    expect(world.settingsOf('ep-0')).toEqual({ sizing: { min: 0.25, max: 2 }, autosuspendDelay: 300 })
  })

  test('stays where a person set another value meanwhile, with Dormouse or past it', async () => {
    const [withIt, past] = [await spent(), await spent()]
    await withIt.person('ep-0', { autosuspendDelay: seconds(600) })
    past.at(7200)
    await past.set('ep-0', { autosuspendDelay: seconds(600) })
    for (const world of [withIt, past]) {
      // oxlint-disable-next-line no-await-in-loop -- one world after the other
      await nextDay(world)
      expect(world.settingsOf('ep-0')).toEqual({ sizing: { min: 0.25, max: 2 }, autosuspendDelay: 600 })
    }
  })

  test('stays where a person set another value and then that of the budget', async () => {
    const world = await spent()
    world.at(7200)
    await world.set('ep-0', { autosuspendDelay: seconds(600) })
    world.at(7300)
    await world.set('ep-0', { autosuspendDelay: seconds(60) })
    await nextDay(world)
    expect(world.settingsOf('ep-0').autosuspendDelay).toBe(60)
  })

  test('that was not sent before the end of its period never is', async () => {
    const world = await budgetWorld()
    world.reach(80)
    await world.decide()
    world.at(DAY + 60)
    world.reach()
    await world.decide()
    expect((await world.changes()).map(({ state }) => state)).toEqual([
      { at: 'expired', because: 'the period of the budget preview is over', endedAt: expect.any(Number) },
    ])
    expect(world.settingsOf('ep-0').autosuspendDelay).toBe(300)
  })

  test('waits for an approval to be put back where its policy asks for one', async () => {
    const world = await spent()
    world.rule({ ...APPLY, mode: 'approve' })
    await nextDay(world)
    expect((await world.changes()).slice(2).map(({ state }) => state.at)).toEqual(['proposed', 'proposed'])
  })
})

const live = async (calls: number, isAfter: boolean) => {
  const world = await budgetWorld()
  world.reach(50, 80, 100)
  world.endAt(calls, isAfter)
  await world.pass()
  let ended = world.hasEnded()
  if (ended) world.restart()
  await world.pass()
  world.at(DAY + 60)
  world.reach()
  await world.pass()
  ended ||= world.hasEnded()
  world.restart()
  await world.pass()
  const changes = (await world.changes())
    .map(({ kind, desired, state }) => JSON.stringify([kind, desired, state.at]))
    .toSorted()
  return { ended, changes, settings: world.settingsOf('ep-0') }
}

test('a daemon that ends at any call of a port makes and puts back the same', async () => {
  const whole = await live(Infinity, false)
  expect(whole.changes).toHaveLength(4)
  let ends = 0
  for (let calls = 1; ; calls += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one life after the other
    const lives = [await live(calls, false), await live(calls, true)]
    if (lives.every(({ ended }) => !ended)) break
    ends += 1
    for (const { changes, settings } of lives)
      expect({ changes, settings }).toEqual({ changes: whole.changes, settings: whole.settings })
  }
  expect(ends).toBeGreaterThan(8)
})

test('what a preview says is what happens', async () => {
  const world = await budgetWorld([{ ...APPLY, sizing: { ...SIZING, min: cu(0.5) } }])
  const preview = await world.preview()
  const expected = ([80, 100] as const).flatMap((rung) =>
    (preview?.at(rung) ?? []).map(({ step, because }) => [
      step.ref.endpointId,
      step.kind,
      step.desired,
      because,
    ]),
  )
  expect(expected).toEqual([
    ['ep-0', 'delay', { autosuspendDelay: 60 }, undefined],
    ['ep-0', 'sizing', { sizing: { min: 0.25, max: 0.5 } }, undefined],
  ])
  world.reach(50, 80, 100)
  await world.pass()
  expect((await made(world)).map((change) => change.slice(0, 3))).toEqual(
    expected.map((step) => step.slice(0, 3)),
  )
  expect((await world.preview())?.madeAt(80).map(({ id }) => id)).toEqual(['ch-00000001'])
  expect(world.problems).toEqual([])
})

const SIZING = { min: undefined, max: undefined, neverDown: false, hitRatio: 0.99 as never }
