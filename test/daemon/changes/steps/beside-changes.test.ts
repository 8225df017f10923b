// Steps of budgets beside changes that policies made of recommendations, and beside another budget.
/* oxlint-disable no-await-in-loop -- one pass after the other */
import { expect, test } from 'vitest'
import { createDecidedChanges } from '../../../../src/daemon/changes/decided/decided-changes.ts'
import { DEFAULT_BRAKES } from '../../../../src/model/policy/brakes.ts'
import type { Change } from '../../../../src/model/policy/change.ts'
import { addChange, transition } from '../../../../src/model/ports/journal.ts'
import { cu, ratio, seconds } from '../../../../src/model/units.ts'
import { at } from '../../../support/build.ts'
import { changeOf } from '../../../support/changes.ts'
import { APPLY, budgetWorld, DAY, made } from './step-world.ts'

/** From 2 to 4 CU. */
const UPSIZING = {
  ref: { account: 'main', projectId: 'project-0', endpointId: 'ep-0' },
  when: 'policy',
  origin: { by: 'policy', id: 'ep-0.sizing.1', hash: 'h', name: 'policies[0]' },
  before: { sizing: { min: cu(0.25), max: cu(2) } },
  desired: { sizing: { min: cu(0.25), max: cu(4) } },
} as const

const JUDGED = {
  before: UPSIZING.desired,
  desired: UPSIZING.before,
  state: {
    at: 'verifying',
    since: at(0),
    operationIds: [],
    sent: { at: at(0), sessions: 0, effectiveAt: at(5) },
    judgement: { good: 0, bad: 0, lookedAt: undefined, restarts: 1 },
  },
} as const

test.each<readonly [string, Partial<Change>]>([
  ['a proposal that nobody answers', { state: { at: 'proposed' } }],
  ['an upsizing that waits for a window', {}],
  ['a change that is judged', JUDGED],
])('a hard budget that is spent makes the compute smaller beside %s', async (_, fields) => {
  const world = await budgetWorld()
  const change = changeOf({ ...UPSIZING, ...fields })
  await addChange(world.sources.runnerOf().store, change, { at: at(3600) })
  world.reach(80, 100)
  await world.decide()
  await world.pass()
  expect(world.settingsOf('ep-0').sizing).toEqual({ fixed: 0.25 })
  const [ended] = await world.changes()
  expect(ended?.state).toMatchObject({
    at: 'cancelled',
    because: 'makes way for a step: 100 % of the budget preview',
  })
})

test.each<readonly [string, Partial<Change>]>([
  ['that a person asked for', { origin: { by: 'person', name: 'ann' } }],
  [
    'that a person approved',
    { state: { at: 'scheduled', approvedBy: 'ann', notBefore: at(0), attempts: 0 } },
  ],
])('a change %s makes way for no step', async (_, fields) => {
  const world = await budgetWorld()
  await addChange(world.sources.runnerOf().store, changeOf({ ...UPSIZING, ...fields }), { at: at(3600) })
  world.reach(80, 100)
  await world.decide()
  expect((await made(world)).map(([, kind]) => kind)).toEqual(['sizing', 'delay'])
})

test.each(['soft', 'hard'] as const)(
  'a larger size that waits needs a person once a %s budget is nearly spent',
  async (mode) => {
    const world = await budgetWorld([APPLY], mode)
    await addChange(world.sources.runnerOf().store, changeOf(UPSIZING), { at: at(3600) })
    await world.decide()
    expect((await world.changes()).map(({ state }) => state.at)).toEqual(['scheduled'])
    world.reach(80)
    await world.decide()
    expect((await world.changes())[0]?.state).toEqual({ at: 'proposed' })
  },
)

test('two budgets over the same computes are no more restarts than one', async () => {
  const world = await budgetWorld()
  const { config } = world.sources
  world.sources.config = () => {
    const given = config()
    const budgets = given.budgets.map((one) => ({ ...one, exempt: [] }))
    return {
      ...given,
      brakes: { ...DEFAULT_BRAKES, fleetShare: ratio(0), fleetLeast: 3 },
      budgets: [...budgets, ...budgets.map((one) => ({ ...one, name: 'whole' }))],
    }
  }
  world.restart()
  world.reach(100)
  const taken = await world.snapshot()
  const accounts = taken.accounts.map((one) => ({
    ...one,
    budgets: one.budgets.flatMap((view) => [view, { ...view, name: 'whole' }]),
  }))
  await createDecidedChanges(world.sources).decide({ ...taken, accounts })
  expect(world.sources.runnerOf().storedBrakes.engaged()).toEqual([])
  expect(await made(world)).toHaveLength(2)
})

test('a step that took effect is put back, although operations of the project did not end', async () => {
  const world = await budgetWorld()
  world.reach(80)
  await world.decide()
  const [step] = await world.changes()
  if (!step) throw new Error('a step was made')
  await world.set('ep-0', { autosuspendDelay: seconds(60) })
  const sent = { at: at(3601), sessions: 0 }
  const to = { at: 'failed', because: 'operations did not end', endedAt: at(3910), sent } as const
  await transition(world.sources.runnerOf().store, { change: step, to }, { at: at(3910) })
  world.reach()
  world.at(DAY + 60)
  await world.pass()
  expect(world.settingsOf('ep-0').autosuspendDelay).toBe(300)
})

test('on a compute that somebody else keeps setting no step is made until a person releases the brake, with the reason', async () => {
  const world = await budgetWorld()
  const { storedBrakes } = world.sources.runnerOf()
  await storedBrakes.engage({ name: 'controller', subject: 'ep-0', because: 'three times' })
  world.reach(80)
  await world.decide()
  expect(await world.changes()).toEqual([])
  expect((await world.decisions())[0]?.steps).toMatchObject([
    { origin: { by: 'budget' }, because: 'controller' },
  ])
  expect((await world.preview())?.at(80)).toMatchObject([{ because: 'controller' }])
  await storedBrakes.release('controller.ep-0', { by: 'ann', reason: 'it is stopped' })
  await world.pass()
  expect(world.settingsOf('ep-0').autosuspendDelay).toBe(60)
})
