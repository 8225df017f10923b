import { describe, expect, test } from 'vitest'
import { DEFAULT_BRAKES } from '../../../../src/model/policy/brakes.ts'
import { type PolicyRule } from '../../../../src/model/policy/policies.ts'
import { addChange, transition } from '../../../../src/model/ports/journal.ts'
import type { AccountView, ProjectView } from '../../../../src/model/output/snapshot.ts'
import { NO_OWNER } from '../../../../src/model/policy/owner.ts'
import { cu, seconds } from '../../../../src/model/units.ts'
import { NO_BACKLOG } from '../../../../src/observe/sweep.ts'
import { at, project as serviceProject } from '../../../support/build.ts'
import { changeOf } from '../../../support/changes.ts'
import { ASKED_AT } from '../../../support/changes-daemon.ts'
import { recommendation } from '../../../support/recommendations.ts'
import { worldOf, sizing, delay, ref, NIGHTLY, APPLY } from './decided-world.ts'

describe('an open recommendation', () => {
  test('becomes one change of the policy, whatever the number of passes', async () => {
    const world = await worldOf([APPLY])
    for (let passes = 0; passes < 3; passes += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one pass after the other
      await world.pass()
    }
    expect(await world.changes()).toEqual([
      {
        id: 'ch-00000001',
        version: 1,
        ref: ref(0),
        kind: 'sizing',
        origin: { by: 'policy', id: 'ep-0.sizing.1', hash: sizing(0).hash, name: 'policies[0]' },
        before: { sizing: { fixed: 1 } },
        desired: { sizing: { min: 0.25, max: 1 } },
        when: 'policy',
        planHash: expect.any(String),
        reason: 'recommendation ep-0.sizing.1',
        promised: sizing(0).saving,
        createdAt: ASKED_AT,
        deadline: ASKED_AT + 86_400_000,
        state: { at: 'scheduled', approvedBy: undefined, notBefore: ASKED_AT, attempts: 0 },
      },
    ])
    expect([world.events.map(({ kind }) => kind), world.woken()]).toEqual([['change-scheduled'], 1])
  })

  test('waits for an approval in the mode approve', async () => {
    const world = await worldOf([{ ...APPLY, mode: 'approve' }])
    await world.pass()
    expect(await world.changes()).toMatchObject([{ when: 'policy', state: { at: 'proposed' } }])
  })

  test('is not repeated after its change ended, also by another process', async () => {
    const world = await worldOf([APPLY])
    await world.pass()
    const [change] = await world.changes()
    if (!change) throw new Error('no change was made')
    const to = { at: 'failed', because: 'refused', endedAt: at(9000) } as const
    await transition(world.store.account('main'), { change, to }, { at: at(9000) })
    await world.pass()
    expect(await world.changes()).toHaveLength(1)
  })

  test('makes no second change beside one that a person asked for', async () => {
    const world = await worldOf([APPLY])
    await addChange(world.store.account('main'), changeOf({ ref: ref(0) }), { at: ASKED_AT })
    await world.pass()
    expect(await world.changes()).toMatchObject([{ origin: { by: 'person' } }])
  })

  test.each(['apply', 'approve'] as const)(
    'becomes none in the mode %s within a day after a person set that compute',
    async (mode) => {
      const world = await worldOf([{ ...APPLY, mode }])
      const state = {
        at: 'done',
        because: '',
        endedAt: ASKED_AT,
        sent: { at: ASKED_AT, sessions: 0 },
      } as const
      const desired = { sizing: { fixed: cu(1) } }
      await addChange(world.store.account('main'), changeOf({ ref: ref(0), desired, state }), {
        at: ASKED_AT,
      })
      await world.pass()
      expect(await world.changes()).toMatchObject([{ origin: { by: 'person' } }])
      expect((await world.pass())[0]?.held).toEqual([{ id: 'ep-0.sizing.1', because: 'person' }])
    },
  )

  test.each<[what: string, rules: readonly PolicyRule[]]>([
    ['without policies', []],
    ['of another compute', [{ ...APPLY, match: { project: ['project-1'] } }]],
    ['of a compute whose policy suggests', [{ ...APPLY, mode: 'suggest' }]],
    ['of another lever', [{ ...APPLY, levers: ['delay'] }]],
  ])('%s becomes none', async (_, rules) => {
    const world = await worldOf(rules)
    await world.pass()
    expect([await world.changes(), world.woken()]).toEqual([[], 0])
  })

  test('that was made for other settings becomes none', async () => {
    const other = sizing(0, { from: { sizing: { fixed: cu(2) } } })
    const world = await worldOf([APPLY], [other])
    await world.pass()
    expect([await world.changes(), world.problems]).toEqual([[], []])
  })

  test('of each compute and kind has a change of its own', async () => {
    const world = await worldOf([{ ...APPLY, levers: ['delay', 'sizing'] }], [sizing(0), delay(0), sizing(1)])
    await world.pass()
    const made = (await world.changes()).map(({ origin }) => ('id' in origin ? origin.id : ''))
    expect(made.toSorted()).toEqual(['ep-0.delay.1', 'ep-0.sizing.1', 'ep-1.sizing.1'])
  })
})

test('the policy of a compute and the reason of each recommendation without a change are known', async () => {
  const world = await worldOf(
    [{ ...APPLY, match: { project: ['project-0'] } }],
    [sizing(0), delay(0), sizing(1)],
  )
  const policy = { mode: 'apply', levers: ['sizing'], restart: NIGHTLY, path: 'policies[0]' }
  expect(await world.pass()).toEqual([
    { policy, held: [{ id: 'ep-0.delay.1', because: 'lever' }], steps: [] },
    undefined,
  ])
  expect(await world.pass()).toEqual([
    {
      policy,
      held: [
        { id: 'ep-0.sizing.1', because: 'open-change' },
        { id: 'ep-0.delay.1', because: 'lever' },
      ],
      steps: [],
    },
    undefined,
  ])
})

const kindsOf = ({ events }: Awaited<ReturnType<typeof worldOf>>) => events.map(({ kind }) => kind)

describe('of too many restarts', () => {
  const LEAST_ONE = { ...DEFAULT_BRAKES, fleetLeast: 1 }

  test('none is made, until fewer are recommended', async () => {
    const all = [0, 1].map((index) => sizing(index))
    const world = await worldOf([APPLY], all, LEAST_ONE)
    await world.pass()
    expect([await world.changes(), world.braked()]).toEqual([
      [],
      ['policies want to restart 2 of 2 computes'],
    ])
    await world.pass()
    expect(kindsOf(world)).toEqual(['brake-engaged'])
    all.pop()
    await world.pass()
    expect([(await world.changes()).length, world.braked()]).toEqual([1, []])
    expect(kindsOf(world)).toEqual(['brake-engaged', 'brake-released', 'change-scheduled'])
  })

  test('all are made after a person released the brake', async () => {
    const world = await worldOf([APPLY], [sizing(0), sizing(1)], LEAST_ONE)
    await world.pass()
    await world.storedBrakes.release('fleet', { by: 'ann', reason: 'meant so' })
    await world.pass()
    await world.pass()
    expect([(await world.changes()).length, world.braked()]).toEqual([2, []])
    expect(kindsOf(world)).toEqual([
      'brake-engaged',
      'brake-released',
      'change-scheduled',
      'change-scheduled',
    ])
  })

  test('none is left to brake where no policy makes changes any more', async () => {
    const world = await worldOf([APPLY], [sizing(0), sizing(1)], LEAST_ONE)
    await world.pass()
    world.reload([])
    await world.pass()
    expect([world.braked(), kindsOf(world)]).toEqual([[], ['brake-engaged', 'brake-released']])
  })
})

test('a journal that cannot be read is a line of the log', async () => {
  const world = await worldOf([APPLY])
  world.store.changes = () => Promise.reject(new Error('no disk'))
  await world.pass()
  expect(world.problems).toHaveLength(1)
})

const unmatched = (policy: string) => [{ policy }, 'a policy matches no compute']

describe('a policy that matches no compute', () => {
  const OTHER: PolicyRule = { match: { project: ['other-*'] }, mode: 'suggest' }

  test('is named once, and again after a reload, whatever the mode', async () => {
    const world = await worldOf([{ match: {}, mode: 'suggest' }, OTHER], [])
    await world.pass()
    await world.pass()
    expect(world.problems).toEqual([unmatched('policies[1]')])
    world.reload([OTHER, { match: { compute: ['ep-1'] } }])
    await world.pass()
    expect(world.problems).toEqual([unmatched('policies[1]'), unmatched('policies[0]')])
  })

  test.each<[what: string, Partial<AccountView>]>([
    ['projects are not listed', { listedAt: undefined }],
    ['a project was not looked at', { backlog: { ...NO_BACKLOG, unseen: 1 } }],
  ])('is not named while %s', async (_, account) => {
    const world = await worldOf([OTHER], [])
    await world.pass(account)
    expect(world.problems).toEqual([])
    await world.pass()
    expect(world.problems).toEqual([unmatched('policies[0]')])
  })
})

const rule = (levers: PolicyRule['levers']): PolicyRule => ({
  ...APPLY,
  match: { project: ['project-*'] },
  levers,
})

describe('a recommended default of a project', () => {
  const project = { account: 'main', projectId: 'project-0' }
  const recommended = recommendation({
    id: 'project-0.defaults.1',
    ref: project,
    kind: 'defaults',
    from: { delay: seconds(300) },
    to: { delay: seconds(600) },
  })
  const view: ProjectView = {
    ref: project,
    project: serviceProject({ projectId: 'project-0' }),
    owner: NO_OWNER,
    advice: [recommended],
  }
  test('becomes one change of the project', async () => {
    const world = await worldOf([rule(['defaults'])], [recommended])
    await world.pass({ projects: [view] })
    await world.pass({ projects: [view] })
    expect(await world.changes()).toMatchObject([
      {
        ref: project,
        kind: 'defaults',
        origin: { by: 'policy', id: 'project-0.defaults.1', name: 'policies[0]' },
        before: { autosuspendDelay: 300 },
        desired: { autosuspendDelay: 600 },
        when: 'policy',
        state: { at: 'scheduled' },
      },
    ])
  })

  test('is made by no policy without the lever, nor by one of some computes', async () => {
    const ofBranch: PolicyRule = { ...rule(['defaults']), match: { branch: ['br-one'] } }
    const world = await worldOf([ofBranch, rule(['delay'])], [recommended])
    await world.pass({ projects: [view] })
    expect(await world.changes()).toEqual([])
  })
})
