// Changes of a policy that took effect: what becomes of a verdict, by the real loop on a memory store.
import { describe, expect, test, vi } from 'vitest'
import { newRevert } from '../../../src/daemon/changes/new-change.ts'
import type { ApplyLoopOptions } from '../../../src/daemon/changes/apply-loop-options.ts'
import type { Event } from '../../../src/model/output/event-kinds.ts'
import type { Change, ChangeState } from '../../../src/model/policy/change.ts'
import type { AccountStore } from '../../../src/model/ports/store.ts'
import { cu, ratio, seconds, type Bytes } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { loopOf, loopPortsWithChange, runUntilTestEnds } from './loop-of.ts'

const BASELINE = {
  hitRatio: ratio(0.99),
  cacheUsed: (2 ** 30) as Bytes,
  isAtLimit: false,
  isReadable: true,
  restarts: 4,
}
const POLICY: Change['origin'] = { by: 'policy', id: 'ep-one.sizing.1', hash: 'hash', name: 'policies[0]' }

type Given = Readonly<{
  change?: Partial<Change>
  judge?: ApplyLoopOptions['verification']['judge']
  isProposed?: boolean
  wrap?: (store: AccountStore) => AccountStore
}>

/** One change of a policy on a real loop, until the test ends. */
async function worldOf({ change: fields = {}, judge, isProposed = false, wrap = (store) => store }: Given) {
  const { clock, memory, service, sent } = await loopPortsWithChange({
    origin: POLICY,
    when: 'policy',
    ...fields,
  })
  const events: Event[] = []
  const verdicts: string[] = []
  let judged = 0
  const loop = loopOf({
    memory,
    clock,
    service,
    store: wrap(memory.account('main')),
    onVerdict: (verdict) => void verdicts.push(verdict),
    send: async (given) => {
      events.push(...given)
      return []
    },
    verification: {
      baselineOf: () => Promise.resolve(BASELINE),
      judge: (one, state) => {
        judged += 1
        return judge
          ? judge(one, state)
          : Promise.resolve({ verdict: 'undecided', judgement: state.judgement })
      },
    },
    revertOf: (one, verdict) =>
      newRevert(one, {
        ...verdict,
        isProposed,
        random: { unit: () => 0.5, uuid: () => 'abcdef01' },
        now: clock.now(),
      }),
  })
  runUntilTestEnds(loop)
  const stateOf = async (id = 'ch-one') => (await memory.change('main', id))?.state
  return { clock, memory, sent, events, verdicts, loop, stateOf, judgedTimes: () => judged }
}

type World = Awaited<ReturnType<typeof worldOf>>

/** Moves the clock until a change is in a state. */
async function reaches({ clock, stateOf }: World, state: ChangeState['at'], id?: string) {
  await vi.waitFor(async () => {
    await clock.advance(seconds(10))
    expect((await stateOf(id))?.at).toBe(state)
  })
  return stateOf(id)
}

test('after the service showed the result it is judged, with the figures from before the request', async () => {
  const world = await worldOf({})
  await vi.waitFor(async () => {
    await world.clock.advance(seconds(10))
    expect(world.judgedTimes()).toBeGreaterThan(1)
  })
  expect(await world.stateOf()).toMatchObject({
    at: 'verifying',
    sent: { baseline: BASELINE, effectiveAt: expect.any(Number) },
    // its own restart is none that anybody has to see
    judgement: { good: 0, bad: 0, lookedAt: undefined, restarts: 5 },
  })
  expect(world.loop.holdOf('ch-one')).toMatchObject({ because: 'verdict', until: undefined })
  expect(world.sent).toEqual([{ sizing: { fixed: cu(0.25) } }])
  expect(world.events).toEqual([])
})

test.each<[what: string, fields: Partial<Change>]>([
  ['of a person', { origin: { by: 'person', name: 'alice' }, when: 'idle' }],
  ['that a person approved', { origin: { ...POLICY, by: 'recommendation' }, when: 'idle' }],
  ['that takes another one back', { origin: { by: 'revert', of: 'ch-two', name: 'policies[0]' } }],
])('a change %s is done when the service shows the result', async (_, change) => {
  const world = await worldOf({ change })
  expect(await reaches(world, 'done')).toMatchObject({ because: 'verified' })
  expect(world.judgedTimes()).toBe(0)
})

test('a verdict to keep ends it as done', async () => {
  const world = await worldOf({
    judge: async () => ({ verdict: 'keep', isJudged: true, because: 'verified; fine' }),
  })
  expect(await reaches(world, 'done')).toMatchObject({
    because: 'verified; fine',
    sent: { baseline: BASELINE, effectiveAt: expect.any(Number) },
  })
  expect(world.events.map(({ kind }) => kind)).toEqual(['change-applied'])
  expect(world.verdicts).toEqual(['keep'])
})

test('one that stays although readings did not tell is counted apart', async () => {
  const world = await worldOf({
    judge: async () => ({ verdict: 'keep', isJudged: false, because: 'a week' }),
  })
  await reaches(world, 'done')
  expect(world.verdicts).toEqual(['undecided'])
})

test('somebody else who sets it meanwhile ends the judgement', async () => {
  const world = await worldOf({ judge: async () => ({ verdict: 'superseded', because: 'somebody' }) })
  expect(await reaches(world, 'superseded')).toMatchObject({ because: 'somebody' })
  expect(world.verdicts).toEqual([])
})

test('looks are stored, one transition each', async () => {
  const world = await worldOf({
    judge: async (_, { judgement }) => ({
      verdict: 'undecided',
      judgement: judgement.good < 2 ? { ...judgement, good: judgement.good + 1 } : judgement,
    }),
  })
  await vi.waitFor(async () => {
    await world.clock.advance(seconds(10))
    expect(world.judgedTimes()).toBeGreaterThan(5)
  })
  const states = (await world.memory.changeEvents('main', 'ch-one')).map(({ state }) =>
    'judgement' in state ? state.judgement?.good : state.at,
  )
  expect(states).toEqual(['scheduled', 'applying', 'verifying', 0, 1, 2])
})

const BAD = { verdict: 'revert', because: 'the hit ratio fell', isUrgent: false } as const

describe('a verdict to revert', () => {
  test('ends it, and the change that takes it back is sent once and not judged', async () => {
    const world = await worldOf({ judge: async () => BAD })
    expect(await reaches(world, 'reverted')).toMatchObject({ because: 'the hit ratio fell' })
    await reaches(world, 'done', 'ch-abcdef01')
    expect(world.verdicts).toEqual(['revert'])
    expect(await world.memory.change('main', 'ch-abcdef01')).toMatchObject({
      origin: { by: 'revert', of: 'ch-one', name: 'policies[0]' },
      when: 'policy',
      kind: 'sizing',
      before: { sizing: { fixed: cu(0.25) } },
      desired: { sizing: { fixed: cu(1) } },
      reason: 'takes back ch-one: the hit ratio fell',
    })
    expect(world.sent).toEqual([{ sizing: { fixed: cu(0.25) } }, { sizing: { fixed: cu(1) } }])
    expect(world.judgedTimes()).toBe(1)
    expect(world.events.map(({ kind }) => kind)).toEqual([
      'change-reverted',
      'change-scheduled',
      'change-applied',
    ])
  })

  test('that is urgent is made at once', async () => {
    const world = await worldOf({ judge: async () => ({ ...BAD, isUrgent: true }) })
    await reaches(world, 'reverted')
    expect(await world.memory.change('main', 'ch-abcdef01')).toMatchObject({ when: 'now' })
  })

  test('waits for a person where the policy asks one', async () => {
    const world = await worldOf({ judge: async () => BAD, isProposed: true })
    await reaches(world, 'reverted')
    await world.clock.advance(seconds(60))
    expect(await world.stateOf('ch-abcdef01')).toEqual({ at: 'proposed' })
    expect(world.sent).toHaveLength(1)
  })

  test('is one commit: where it fails neither is stored, and it is tried again', async () => {
    let isFull = true
    let refused = 0
    const world = await worldOf({
      judge: async () => BAD,
      wrap: (store) => ({
        ...store,
        commit: async (writes, options) => {
          const isRevert = writes.some(
            (write) => write.kind === 'change' && write.change.state.at === 'reverted',
          )
          if (!isRevert || !isFull) return store.commit(writes, options)
          refused += 1
          throw new Error('the disk is full')
        },
      }),
    })
    await vi.waitFor(async () => {
      await world.clock.advance(seconds(10))
      expect(refused).toBeGreaterThan(0)
    })
    expect((await world.stateOf())?.at).toBe('verifying')
    expect(await world.memory.change('main', 'ch-abcdef01')).toBeUndefined()
    isFull = false
    await reaches(world, 'done', 'ch-abcdef01')
    expect(world.sent).toHaveLength(2)
  })
})

test('a stored judgement goes on after a restart, without a look at the service', async () => {
  const state: ChangeState = {
    at: 'verifying',
    since: at(0),
    operationIds: [],
    sent: { at: at(0), sessions: 0, baseline: BASELINE, effectiveAt: at(1) },
    judgement: { good: 4, bad: 0, lookedAt: undefined, restarts: 5 },
  }
  const world = await worldOf({
    change: { state },
    judge: async (_, { judgement }) => ({
      verdict: 'keep',
      isJudged: true,
      because: `good ${judgement.good}`,
    }),
  })
  expect(await reaches(world, 'done')).toMatchObject({ because: 'good 4' })
  expect(world.sent).toEqual([])
})
