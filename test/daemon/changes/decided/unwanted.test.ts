// Changes that wait although their recommendation does not stand any more.
import { expect, test } from 'vitest'
import type { Recommendation } from '../../../../src/model/policy/recommendation.ts'
import { transition } from '../../../../src/model/ports/journal.ts'
import { endChangesOf } from '../../../../src/daemon/changes/decided/end-unwanted.ts'
import { ASKED_AT } from '../../../support/changes-daemon.ts'
import { APPLY, sizing, worldOf } from './decided-world.ts'

const WITHDRAWN = { state: 'withdrawn', at: ASKED_AT, because: 'fits' } as const
const DISMISSED = {
  state: 'dismissed',
  at: ASKED_AT,
  until: undefined,
  reason: 'black friday',
  by: 'ann',
} as const
const SUPERSEDED = { state: 'superseded', at: ASKED_AT, by: 'ep-0.sizing.2' } as const

async function waitingIn(mode: 'apply' | 'approve') {
  const recommendations: Recommendation[] = [sizing(0)]
  const world = await worldOf([{ ...APPLY, mode }], recommendations)
  await world.pass()
  return {
    ...world,
    becomes: async (life: Recommendation['life']) => {
      recommendations.length = 0
      const recommendation = { ...sizing(0), life }
      await world.store.account('main').commit([{ kind: 'recommendation', recommendation }])
      await world.pass()
    },
    states: async () => (await world.changes()).map(({ state }) => state),
  }
}

test.each<readonly [string, Recommendation['life'], string]>([
  ['withdrawn', WITHDRAWN, 'recommendation ep-0.sizing.1 was withdrawn'],
  ['dismissed', DISMISSED, 'ann dismissed recommendation ep-0.sizing.1'],
  ['superseded', SUPERSEDED, 'recommendation ep-0.sizing.2 took the place of ep-0.sizing.1'],
])('a change that waits ends when its recommendation is %s', async (_, life, because) => {
  for (const mode of ['apply', 'approve'] as const) {
    // oxlint-disable-next-line no-await-in-loop -- two worlds, one after the other
    const world = await waitingIn(mode)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await world.becomes(life)
    // oxlint-disable-next-line no-await-in-loop -- as above
    expect(await world.states()).toEqual([{ at: 'cancelled', because, endedAt: ASKED_AT }])
    expect(world.problems).toEqual([])
  }
})

test('a better recommendation becomes a change after that', async () => {
  const world = await waitingIn('apply')
  await world.becomes(SUPERSEDED)
  const better = sizing(0, { id: 'ep-0.sizing.2' })
  await world.store.account('main').commit([{ kind: 'recommendation', recommendation: better }])
  await world.pass({}, [better])
  expect((await world.changes()).map(({ origin, state }) => ['id' in origin && origin.id, state.at])).toEqual(
    [
      ['ep-0.sizing.2', 'scheduled'],
      ['ep-0.sizing.1', 'cancelled'],
    ],
  )
})

test('what a person approved stays', async () => {
  const world = await waitingIn('approve')
  const [change] = await world.changes()
  if (!change) throw new Error('a change was made')
  const approved = { at: 'scheduled', approvedBy: 'ann', notBefore: ASKED_AT, attempts: 0 } as const
  await transition(world.store.account('main'), { change, to: approved }, { at: ASKED_AT })
  await world.becomes(WITHDRAWN)
  expect(await world.states()).toEqual([approved])
})

test('a change that waits becomes a proposal when a reload makes its policy ask', async () => {
  const world = await waitingIn('apply')
  world.reload([{ ...APPLY, mode: 'approve' }])
  await world.pass()
  expect(await world.states()).toEqual([{ at: 'proposed' }])
  await world.pass()
  expect((await world.changes()).map(({ version }) => version)).toEqual([2])
})

test('a change that a person approved is asked for no second time', async () => {
  const world = await waitingIn('approve')
  const [change] = await world.changes()
  if (!change) throw new Error('a change was made')
  const approved = { at: 'scheduled', approvedBy: 'ann', notBefore: ASKED_AT, attempts: 0 } as const
  await transition(world.store.account('main'), { change, to: approved }, { at: ASKED_AT })
  await world.pass()
  expect(await world.states()).toEqual([approved])
})

test('a change whose recommendation is open stays', async () => {
  const world = await waitingIn('apply')
  await world.pass()
  expect((await world.states()).map(({ at }) => at)).toEqual(['scheduled'])
})

test('a change that waits ends as soon as a person dismisses its recommendation', async () => {
  const world = await waitingIn('apply')
  const main = { store: world.store.account('main'), now: () => ASKED_AT, wake: () => undefined }
  const sources = { journal: world.store, runnerOf: () => main }
  await endChangesOf(sources, { ...sizing(1), life: DISMISSED })
  expect((await world.states()).map(({ at }) => at)).toEqual(['scheduled'])
  await endChangesOf(sources, { ...sizing(0), life: DISMISSED })
  expect((await world.states()).map(({ at }) => at)).toEqual(['cancelled'])
})
