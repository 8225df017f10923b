// Steps after the configuration was changed in their period.
import { expect, test } from 'vitest'
import type { PolicyRule } from '../../../../src/model/policy/policies.ts'
import { APPLY, budgetWorld, DAY, made, OFFICE_RULE, type BudgetWorld } from './step-world.ts'

const waiting = async (world: BudgetWorld) =>
  (await world.changes()).filter(({ state }) => state.at === 'scheduled').map(({ reason }) => reason)

const RUNGS = ['80 % of the budget preview', '100 % of the budget preview']

async function withWaitingRungs(): Promise<BudgetWorld> {
  const world = await budgetWorld()
  world.reach(80, 100)
  await world.decide()
  expect(await waiting(world)).toEqual(RUNGS)
  return world
}

test('a step that waits ends when its compute is exempted', async () => {
  const world = await withWaitingRungs()
  const { config } = world.sources
  world.sources.config = () => {
    const given = config()
    return { ...given, budgets: given.budgets.map((one) => ({ ...one, exempt: [{}] })) }
  }
  world.restart()
  await world.decide()
  expect(await waiting(world)).toEqual([])
})

test('a step that waits ends when the limit was raised, and is made again when it is reached again', async () => {
  const world = await withWaitingRungs()
  world.reach()
  await world.decide()
  const ended = (await world.changes()).map(({ state }) => 'because' in state && state.because)
  expect(ended).toEqual(RUNGS.map(() => 'the budget preview does not ask for it any more'))
  world.reach(80, 100)
  world.restart()
  await world.decide()
  expect(await waiting(world)).toEqual(RUNGS)
})

test('a step that waits ends when its schedule was removed', async () => {
  const world = await budgetWorld([OFFICE_RULE])
  world.at(12 * 3600)
  await world.decide()
  expect(await waiting(world)).toEqual(['the window office is open'])
  world.rule(APPLY)
  world.restart()
  await world.decide()
  expect(await waiting(world)).toEqual([])
})

test('a step that waits becomes a proposal when a reload makes its policy ask', async () => {
  const world = await withWaitingRungs()
  world.rule({ ...APPLY, mode: 'approve' })
  await world.decide()
  expect((await world.changes()).map(({ state }) => state.at)).toEqual(['proposed', 'proposed'])
})

test.each<[string, readonly PolicyRule[]]>([
  [
    'only suggests',
    [
      { ...OFFICE_RULE, mode: 'suggest' },
      { ...APPLY, match: { project: ['project-9'] } },
    ],
  ],
  ['was removed', []],
])('a put-back that waits becomes a proposal when its policy %s', async (_, rules) => {
  const world = await budgetWorld([OFFICE_RULE])
  world.at(12 * 3600)
  await world.pass()
  world.at(19 * 3600)
  await world.decide()
  expect((await world.changes()).map(({ state }) => state.at)).toEqual(['done', 'scheduled'])
  world.rule(...rules)
  await world.decide()
  expect((await world.changes()).map(({ state }) => state.at)).toEqual(['done', 'proposed'])
})

test('a step that stands is put back with the consent of a person after all policies were removed', async () => {
  const world = await budgetWorld([OFFICE_RULE])
  world.at(12 * 3600)
  await world.pass()
  world.rule()
  world.at(19 * 3600)
  await world.decide()
  const [, back] = await world.changes()
  expect(back).toMatchObject({ reason: 'puts back ch-00000001: the window office has closed' })
  expect(back?.state.at).toBe('proposed')
  world.at(DAY)
  await world.decide()
  expect(await made(world)).toHaveLength(2)
})
