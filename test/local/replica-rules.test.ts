// Decisions of the control plane about read replicas.
import { expect, test } from 'vitest'
import type { Request } from '../../src/local/control/events.ts'
import { compute, play, project, sleeping } from './control/build.ts'

const REPLICA = { type: 'read_only' } as const

const create = (endpointId: string, type: 'read_write' | 'read_only' = 'read_only'): Request => ({
  kind: 'create',
  endpointId,
  type,
  branchId: 'br-one',
  config: {},
})

const both = project([compute(), compute({ ...REPLICA, id: 'ep-two' })])

test.each([
  ['beside a primary', project(), {}, undefined],
  ['on a branch without a primary', project([]), {}, undefined],
  ['on the free plan', project(), { plan: 'free' as const }, 403],
  [
    'beside ninety others',
    project(Array.from({ length: 90 }, (_, at) => compute({ ...REPLICA, id: `ep-${at}` }))),
    {},
    422,
  ],
])('a replica %s', (_, before, settings, status) => {
  const { answer } = play(before, [[1, create('ep-new')]], settings)
  expect(answer?.ok === false ? answer.refusal.status : undefined).toBe(status)
})

test('a primary beside a replica is taken, a second one is refused', () => {
  const alone = project([sleeping()].map((one) => ({ ...one, ...REPLICA })))
  const { results } = play(alone, [
    [1, create('ep-three', 'read_write')],
    [2, { kind: 'started', endpointId: 'ep-three' }],
    [3, create('ep-four', 'read_write')],
  ])
  expect(results.map(({ answer }) => answer?.ok)).toEqual([true, undefined, false])
})

test('the start of a compute names its type and the replicas of its branch', () => {
  const { effects } = play(project([sleeping(), { ...sleeping(), ...REPLICA, id: 'ep-two' }]), [
    [1, { kind: 'start', endpointId: 'ep-two' }],
  ])
  expect(effects.find(({ kind }) => kind === 'start-process')).toMatchObject({
    endpointId: 'ep-two',
    type: 'read_only',
    branch: { id: 'br-one' },
    replicaIds: ['ep-two'],
  })
})

test('a deleted replica is stopped, then its data and slot go; the primary stays as it is', () => {
  const { effects, project: left } = play(both, [[1, { kind: 'delete', endpointId: 'ep-two' }]])
  expect(effects.map(({ kind }) => kind)).toEqual([
    'write-mutation',
    'refuse-clients',
    'drop-connections',
    'write-stop',
    'write-interval',
    'stop-process',
    'remove-replica',
  ])
  expect(left.computes).toEqual(both.computes.slice(0, 1))
})

test('a sleeping replica has data and a slot to remove, too', () => {
  const before = project([compute(), { ...sleeping(), ...REPLICA, id: 'ep-two' }])
  const { effects } = play(before, [[1, { kind: 'delete', endpointId: 'ep-two' }]])
  expect(effects.at(-1)).toEqual({ kind: 'remove-replica', endpointId: 'ep-two', branchId: 'br-one' })
})

test('a replica moves to a branch that has a primary', () => {
  const primaries = project([compute({ ...REPLICA }), compute({ id: 'ep-two', branchId: 'br-two' })])
  const move: Request = { kind: 'update', endpointId: 'ep-one', changes: {}, branchId: 'br-two' }
  const { answer, project: moved } = play(primaries, [[1, move]])
  expect(answer?.ok).toBe(true)
  expect(moved.computes[0]).toMatchObject({ branchId: 'br-two', pending: 'idle' })
})
