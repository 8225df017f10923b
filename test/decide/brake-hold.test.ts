import { describe, expect, test } from 'vitest'
import { brakeHold, type BrakeContext } from '../../src/decide/brake-hold.ts'
import { brakeId, DEFAULT_BRAKES, type StoredBrake } from '../../src/model/policy/brakes.ts'
import type { Change, ChangeState } from '../../src/model/policy/change.ts'
import { cu, type Instant } from '../../src/model/units.ts'
import { at } from '../support/build.ts'
import { changeOf } from '../support/changes.ts'
import { applyingOf } from '../apply/build.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** The daemon began long ago. */
const NOW = at(30 * DAY)
const ago = (seconds: number): Instant => at(30 * DAY - seconds)

const CHANGE = changeOf({ id: 'ch-now', when: 'policy' })
const CONTEXT: BrakeContext = {
  brakes: DEFAULT_BRAKES,
  restarts: [],
  engaged: [],
  breaker: undefined,
  failedRequests: undefined,
  goFirst: [],
  startedAt: at(0),
  isSwept: true,
  createdAt: at(0),
}

const done = (seconds: number): ChangeState => ({
  at: 'done',
  because: 'verified',
  endedAt: ago(seconds - 5),
  sent: { at: ago(seconds), sessions: 0 },
})
const failedAgo = (seconds: number): ChangeState => ({
  at: 'failed',
  because: 'refused',
  endedAt: ago(seconds),
})
const of = (endpointId: string, state: ChangeState, fields: Partial<Change> = {}): Change =>
  changeOf({ id: `ch-${endpointId}`, ref: { ...CHANGE.ref, endpointId }, state, ...fields })
const own = (state: ChangeState, fields: Partial<Change> = {}) => of('ep-one', state, fields)
const many = (count: number, state: (index: number) => ChangeState) =>
  Array.from({ length: count }, (_, index) => of(`ep-${index}-other`, state(index)))

const LARGER = { before: { sizing: { fixed: cu(1) } }, desired: { sizing: { fixed: cu(2) } } }

const RESTART = { kind: 'restart', before: {}, desired: {} } as const

/** Reason, and the seconds until its end. */
function holdText(over: Partial<BrakeContext>, change: Change = CHANGE) {
  const hold = brakeHold(change, { ...CONTEXT, ...over }, NOW)
  return hold && [hold.because, hold.until === undefined ? undefined : (hold.until - NOW) / 1000]
}

test('what a budget puts back waits for no earlier restart of its compute, but for those of others', () => {
  const origin = { by: 'budget', name: 'preview', rung: 100, period: at(0) } as const
  const step = { ...CHANGE, origin }
  const putBack = { ...CHANGE, origin: { ...origin, of: 'ch-step' } }
  const [same, others] = [{ restarts: [own(done(HOUR))] }, { restarts: many(10, () => done(60)) }]
  expect([holdText(same, step), holdText(same, putBack)]).toEqual([['compute-pace', 23 * HOUR], undefined])
  expect(holdText(others, putBack)).toEqual(['fleet-pace', 3540])
})

test.each<[what: string, over: Partial<BrakeContext>, expected: readonly unknown[] | undefined]>([
  ['nothing', {}, undefined],
  ['9 minutes after the start', { startedAt: ago(540) }, ['hold-off', 60]],
  ['10 minutes after the start', { startedAt: ago(600) }, undefined],
  ['before a complete list', { isSwept: false }, ['hold-off', undefined]],
  ['a compute of 23 hours', { createdAt: ago(23 * HOUR) }, ['hold-off', HOUR]],
  ['one failure', { restarts: many(1, () => failedAgo(10)) }, undefined],
  ['two failures', { restarts: many(2, (index) => failedAgo(index * 600)) }, ['breaker', 3000]],
  ['two failures, one of them old', { restarts: many(2, (index) => failedAgo(index * HOUR)) }, undefined],
  ['the same compute 5 hours ago', { restarts: [own(done(5 * HOUR), RESTART)] }, ['compute-pace', HOUR]],
  ['the same compute 6 hours ago', { restarts: [own(done(6 * HOUR), RESTART)] }, undefined],
  ['a smaller size 23 hours ago', { restarts: [own(done(23 * HOUR))] }, ['compute-pace', HOUR]],
  ['a smaller size a day ago', { restarts: [own(done(DAY))] }, undefined],
  [
    'the same compute three times in a week',
    { restarts: [2, 4, 6].map((days) => own(done(days * DAY))) },
    ['compute-pace', DAY],
  ],
  ['the opposite 23 hours ago', { restarts: [own(done(23 * HOUR), LARGER)] }, ['compute-pace', HOUR]],
  ['the opposite a day ago', { restarts: [own(done(DAY), LARGER)] }, undefined],
  ['two under way', { restarts: many(2, () => applyingOf({ sentAt: ago(5) })) }, undefined],
  ['three under way', { restarts: many(3, () => applyingOf({ sentAt: ago(5) })) }, ['fleet-pace', undefined]],
  ['nine in an hour', { restarts: many(9, (index) => done(60 + index * 60)) }, undefined],
  ['ten in an hour', { restarts: many(10, (index) => done(60 + index * 60)) }, ['fleet-pace', 3000]],
])('%s: %j', (_, over, expected) => {
  expect(holdText(over)).toEqual(expected)
})

test('at the pace of the fleet smaller sizes of a budget that is nearly spent go before all others', () => {
  const smaller = of('ep-two', CHANGE.state, { when: 'policy' })
  const larger = of('ep-three', CHANGE.state, { ...LARGER, when: 'policy' })
  expect(brakeHold(CHANGE, { ...CONTEXT, goFirst: [smaller] }, NOW)).toEqual({
    because: 'fleet-pace',
    until: undefined,
    detail: 'smaller sizes of a budget that is nearly spent go first: 1',
  })
  expect(holdText({ goFirst: [smaller] }, smaller)).toBeUndefined()
  const [first, second] = ['ep-four', 'ep-five'].map((id) => of(id, CHANGE.state, { when: 'policy' }))
  for (const one of [first, second])
    expect(holdText({ goFirst: [first, second].flatMap((other) => other ?? []) }, one)).toBeUndefined()
  expect(holdText({ goFirst: [larger] })).toBeUndefined()
})

test('a change is not held by itself: when its request is written, it is under way', () => {
  const underWay = { ...CHANGE, state: applyingOf({ sentAt: NOW }) }
  expect(holdText({ restarts: [underWay] })).toBeUndefined()
})

test('neither a change that a person asked for nor a delay is braked', () => {
  const over = { startedAt: NOW, isSwept: false, restarts: [...many(10, () => failedAgo(10)), own(done(60))] }
  expect(holdText(over)).toEqual(['hold-off', 600])
  expect(holdText(over, { ...CHANGE, when: 'idle' })).toBeUndefined()
  expect(holdText(over, { ...CHANGE, kind: 'delay' })).toBeUndefined()
})

const releasedAt = (time: Instant): StoredBrake => ({
  ...brake({ name: 'breaker', because: 'failures', engagedAt: ago(30) }),
  released: { at: time, by: 'ann', reason: 'repaired' },
})

test('failures of before a release of the breaker do not count', () => {
  const restarts = [10, 20, 30].map((seconds, index) => of(`ep-${index}`, failedAgo(seconds)))
  expect(holdText({ restarts })).toEqual(['breaker', 3580])
  expect(holdText({ restarts, breaker: releasedAt(ago(25)) })).toEqual(['breaker', 3580])
  expect(holdText({ restarts, breaker: releasedAt(ago(19)) })).toBeUndefined()
})

const brake = (fields: Partial<StoredBrake> = {}): StoredBrake => ({
  name: 'fleet',
  subject: '',
  because: 'too many',
  engagedAt: NOW,
  ...fields,
})

test.each(['budget', 'schedule'] as const)('advice that saved too little brakes no step of a %s', (by) => {
  const demoted = { name: 'demoted', subject: 'sizing', because: 'saved 50 %', engagedAt: at(0) } as const
  const origin = {
    name: 'preview',
    period: at(0),
    ...(by === 'budget' ? { by, rung: 100 as const } : { by }),
  } as const
  const context = { ...CONTEXT, engaged: [demoted] }
  for (const fields of [origin, { ...origin, of: 'ch-step' }])
    expect(brakeHold(changeOf({ when: 'policy', origin: fields }), context, NOW)).toBeUndefined()
  expect(brakeHold(CHANGE, context, NOW)).toBeDefined()
})

test('the fleet brake holds no change that puts back what a budget set', () => {
  const origin = { by: 'budget', name: 'preview', rung: 100, period: at(0) } as const
  const holds = [origin, { ...origin, of: 'ch-step' }].map((one) =>
    holdText({ engaged: [brake()] }, { ...CHANGE, origin: one }),
  )
  expect(holds).toEqual([['brake', undefined], undefined])
})

describe('a stored brake', () => {
  test.each<[string, Partial<StoredBrake>, boolean]>([
    ['of the account', {}, true],
    ['of the kind of change', { subject: 'sizing' }, true],
    ['of the compute', { subject: 'ep-one' }, true],
    ['of another kind', { subject: 'delay' }, false],
    ['of another compute', { subject: 'ep-two' }, false],
    ['that is the breaker, which holds by its failures,', { name: 'breaker' }, false],
  ])('%s holds a change of a policy until a person releases it: %#', (_, fields, holds) => {
    const engaged = [brake(fields)]
    const detail = `${brakeId(brake(fields))}, too many`
    expect(brakeHold(CHANGE, { ...CONTEXT, engaged }, NOW)).toEqual(
      holds ? { because: 'brake', until: undefined, detail } : undefined,
    )
  })

  test('that is one of restarts holds no delay, and none holds what a person asked for', () => {
    const context = { ...CONTEXT, engaged: [brake()] }
    expect(brakeHold({ ...CHANGE, kind: 'delay' }, context, NOW)).toBeUndefined()
    expect(brakeHold({ ...CHANGE, when: 'idle' }, context, NOW)).toBeUndefined()
  })
})
