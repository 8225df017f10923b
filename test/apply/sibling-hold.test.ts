import { describe, expect, test } from 'vitest'
import { siblingHold } from '../../src/apply/sibling-hold.ts'
import type { Change, ChangeState, EndedChange } from '../../src/model/policy/change.ts'
import type { Compute } from '../../src/model/service/compute.ts'
import { cu, seconds } from '../../src/model/units.ts'
import { at, compute } from '../support/build.ts'
import { changeOf } from '../support/changes.ts'
import { applyingOf, seenOf } from './build.ts'

const DAY = 86_400
/** An hour after the change was asked for. */
const NOW = at(3600)
const RESTART = { kind: 'restart', desired: {}, before: {} } as const

const ended = (state: EndedChange['at'], when: number, isSent = false): ChangeState => ({
  at: state,
  because: '',
  endedAt: at(when),
  ...(isSent && { sent: { at: at(when - 5), sessions: 0 } }),
})
const other = (endpointId: string, state: ChangeState, fields: Partial<Change> = {}): Change =>
  changeOf({
    id: 'ch-other',
    ref: { account: 'main', projectId: 'project-one', endpointId },
    state,
    ...fields,
  })
const replica = (over: Partial<Compute> = {}) =>
  compute({ endpointId: 'ep-replica', type: 'read_only', ...over })
const scheduled = changeOf().state
const verifying: ChangeState = {
  at: 'verifying',
  since: at(3500),
  operationIds: [],
  sent: { at: at(3490), sessions: 0 },
}

/** It restarted its compute at the time, and nobody knows yet whether it stays. */
const judged = (effectiveAt: number): ChangeState => ({
  ...verifying,
  sent: { at: at(effectiveAt - 5), sessions: 0, effectiveAt: at(effectiveAt) },
  judgement: { good: 0, bad: 0, lookedAt: undefined, restarts: 1 },
})

/** Reason and end, seconds. */
function holdText(others: readonly Change[], fields: Partial<Change> = {}, computes = [replica()]) {
  const hold = siblingHold({ change: changeOf(fields), seen: seenOf({}, { others: computes }), others }, NOW)
  return hold && [hold.because, hold.until === undefined ? undefined : (hold.until - at(0)) / 1000]
}

test('a change that takes another one back does not wait for changes of replicas', () => {
  const back = { origin: { by: 'revert', of: 'ch-two', name: 'policies[0]' } } as const
  expect(holdText([other('ep-replica', scheduled)], back)).toBeUndefined()
})

test('a policy leaves a compute alone that somebody else set before it decided', () => {
  const byPolicy = { origin: { by: 'policy', id: 'ep-one.delay.1', hash: '', name: 'policies[0]' } } as const
  const others = [other('ep-one', ended('superseded', -1))]
  expect(holdText(others, byPolicy)).toEqual(['foreign-change', DAY - 1])
  expect(holdText(others)).toBeUndefined()
  const again = { origin: { ...byPolicy.origin, reapplies: 'ch-other' } }
  expect(holdText(others, again)).toBeUndefined()
  expect(holdText([other('ep-one', ended('superseded', 100))], again)).toBeUndefined()
})

describe('for a day what a person set by a change of their own', () => {
  const RANGE = { sizing: { min: cu(0.25), max: cu(2) } }
  const byPerson = (fields: Partial<Change> = {}) =>
    other('ep-one', ended('done', 3000, true), { desired: RANGE, ...fields })
  const byPolicy = { origin: { by: 'policy', id: 'ep-one.sizing.1', hash: '', name: 'policies[0]' } } as const
  const bySchedule = { origin: { by: 'schedule', name: 'office', period: at(0) } } as const

  test.each<[string, Change, Partial<Change>, readonly unknown[] | undefined]>([
    ['is not set by a policy', byPerson(), byPolicy, ['foreign-change', 2995 + DAY]],
    ['is not set by a step', byPerson(), bySchedule, ['foreign-change', 2995 + DAY]],
    ['is set by a person', byPerson(), {}, undefined],
    [
      'is set by a policy where a person approved it',
      byPerson(),
      { ...byPolicy, state: { at: 'scheduled', approvedBy: 'ann', notBefore: at(0), attempts: 0 } },
      undefined,
    ],
    ['is of no other setting', byPerson({ desired: { autosuspendDelay: seconds(60) } }), byPolicy, undefined],
    [
      'is of no other compute',
      { ...byPerson(), ref: { ...byPerson().ref, endpointId: 'ep-two' } },
      byPolicy,
      undefined,
    ],
    ['is none that was not sent', byPerson({ state: ended('cancelled', 3000) }), byPolicy, undefined],
    ['is none of a policy', byPerson(byPolicy), byPolicy, undefined],
    ['is over after it', byPerson({ state: ended('done', 3600 - DAY, true) }), byPolicy, undefined],
  ])('%s', (_, set, fields, hold) => {
    expect(holdText([set], fields)).toEqual(hold)
  })
})

test.each<[string, readonly Change[], readonly unknown[] | undefined]>([
  ['no other change', [], undefined],
  [
    'one that was superseded an hour ago',
    [other('ep-one', ended('superseded', 100))],
    ['foreign-change', 100 + DAY],
  ],
  [
    'one of another kind that was superseded',
    [other('ep-one', ended('superseded', 100), { kind: 'delay' })],
    ['foreign-change', 100 + DAY],
  ],
  [
    'one that was superseded before this one was asked for',
    [other('ep-one', ended('superseded', -1))],
    undefined,
  ],
  ['one of another compute that was superseded', [other('ep-replica', ended('superseded', 100))], undefined],
  ['one that is done', [other('ep-one', ended('done', 100, true))], undefined],
  ['an open one of a replica', [other('ep-replica', scheduled)], ['replica-first', undefined]],
  ['an open delay of a replica', [other('ep-replica', scheduled, { kind: 'delay' })], undefined],
  ['a proposed one of a replica', [other('ep-replica', { at: 'proposed' })], undefined],
  ['a cancelled one of a replica', [other('ep-replica', ended('cancelled', 3599))], undefined],
  [
    'one of a replica that ended a minute ago',
    [other('ep-replica', ended('done', 3540, true))],
    ['branch-pace', 4140],
  ],
  [
    'one of a replica that ended ten minutes ago',
    [other('ep-replica', ended('done', 3000, true))],
    undefined,
  ],
  [
    'a delay of a replica that ended a minute ago',
    [other('ep-replica', ended('done', 3540, true), { kind: 'delay' })],
    undefined,
  ],
  [
    'one of the primary that took effect a minute ago and is judged',
    [other('ep-primary', judged(3540))],
    ['branch-pace', 4140],
  ],
  [
    'one of the primary that took effect ten minutes ago and is judged',
    [other('ep-primary', judged(3000))],
    undefined,
  ],
  [
    'one of the primary whose judgement ended a minute ago',
    [
      other('ep-primary', {
        at: 'done',
        because: '',
        endedAt: at(3540),
        sent: { at: at(100), sessions: 0, effectiveAt: at(105) },
      }),
    ],
    undefined,
  ],
  ['one of a replica that ended without a request', [other('ep-replica', ended('done', 3540))], undefined],
  ['one of a replica that nobody sees any more', [other('ep-gone', scheduled)], undefined],
  ['one under way', [other('ep-replica', applyingOf())], ['project-busy', undefined]],
  ['a delay under way', [other('ep-replica', applyingOf(), { kind: 'delay' })], ['project-busy', undefined]],
  ['one that is verified', [other('ep-gone', verifying)], ['project-busy', undefined]],
])('beside %s', (_, others, hold) => {
  expect(holdText(others, {}, [replica(), compute({ endpointId: 'ep-primary' })])).toEqual(hold)
})

test('a delay waits for what is in flight and for 24 h after a person, and for no restart', () => {
  const delay = { kind: 'delay' } as const
  expect(holdText([other('ep-replica', scheduled)], delay)).toBeUndefined()
  expect(holdText([other('ep-replica', ended('done', 3540, true))], delay)).toBeUndefined()
  expect(holdText([other('ep-replica', applyingOf())], delay)).toEqual(['project-busy', undefined])
  expect(holdText([other('ep-one', ended('superseded', 100))], delay)).toEqual(['foreign-change', 100 + DAY])
})

test('a person who asks again after somebody else set the compute is not held', () => {
  const superseded = other('ep-one', ended('superseded', 100))
  expect(holdText([superseded], { createdAt: at(101) })).toBeUndefined()
})

test('the hands are off for a day to the second', () => {
  const superseded = other('ep-one', ended('superseded', 3600 - DAY))
  const later = other('ep-one', ended('superseded', 3601 - DAY))
  const asked = { createdAt: at(-2 * DAY) }
  expect(holdText([superseded], asked)).toBeUndefined()
  expect(holdText([later], asked)).toEqual(['foreign-change', 3601])
})

test('computes of another branch are no siblings, and replicas do not wait for each other without a restart', () => {
  expect(holdText([other('ep-replica', scheduled)], {}, [replica({ branchId: 'br-two' })])).toBeUndefined()
  const ofReplica = { ref: { account: 'main', projectId: 'project-one', endpointId: 'ep-replica' } }
  const seen = seenOf({ endpointId: 'ep-replica', type: 'read_only' }, { others: [compute()] })
  const others = [other('ep-one', scheduled)]
  expect(siblingHold({ change: changeOf(ofReplica), seen, others }, NOW)).toBeUndefined()
  const restarted = [other('ep-one', ended('done', 3590, true), RESTART)]
  expect(siblingHold({ change: changeOf(ofReplica), seen, others: restarted }, NOW)).toMatchObject({
    because: 'branch-pace',
  })
})
