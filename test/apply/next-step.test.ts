import { describe, expect, test } from 'vitest'
import { afterAnswer, afterFailedLook, type Sent } from '../../src/apply/answers.ts'
import { nextStep, type Step, type StepInput } from '../../src/apply/next-step.ts'
import type { Change, ChangeState } from '../../src/model/policy/change.ts'
import type { ServiceError } from '../../src/model/service/service-error.ts'
import { cu, ratio, seconds } from '../../src/model/units.ts'
import { failed, ok } from '../../src/std/result.ts'
import { at, compute, operation } from '../support/build.ts'
import { changeOf, SCHEDULED } from '../support/changes.ts'
import { applyingOf, inputOf, NOW, RULES, seenOf } from './build.ts'

const stepOf = (state: ChangeState, over?: Partial<StepInput>, fields?: Partial<Change>): Step =>
  nextStep(inputOf(state, over, fields), NOW)

/** In few words: `send`, `look`, the reason of a hold with its end, the state that is recorded. */
function textOf(step: Step): string {
  if (step.do === 'wait') {
    const { because, until } = step.hold
    return `wait ${because}${until === undefined ? '' : ` until ${(until - at(0)) / 1000}`}`
  }
  return step.do === 'record' ? step.state.at : step.do
}

const restart: Partial<Change> = { kind: 'restart', desired: {}, before: {}, when: 'now' }
const delay = (from: number, to: number): Partial<Change> => ({
  kind: 'delay',
  before: { autosuspendDelay: seconds(from) },
  desired: { autosuspendDelay: seconds(to) },
})
const rules = (over: Partial<StepInput['rules']>) => ({ rules: { ...RULES, ...over } })
const seen = (...given: Parameters<typeof seenOf>) => ({ seen: seenOf(...given) })
const pending = compute({ endpointId: 'ep-two', pendingState: 'idle' })

describe('a scheduled change', () => {
  test.each<[string, string, Partial<StepInput>, Partial<Change>]>([
    ['idle', 'send', {}, {}],
    ['not seen yet', 'look', { seen: undefined }, {}],
    ['seen 2 s ago', 'send', seen({}, { askedAt: at(998) }), {}],
    ['seen 2.1 s ago', 'look', seen({}, { askedAt: at(997.9) }), {}],
    ['awake', 'wait awake', seen({ state: 'active' }), {}],
    ['awake, when now', 'send', seen({ state: 'active' }), { when: 'now' }],
    ['starting', 'wait project-busy', seen({ state: 'init' }), { when: 'now' }],
    ['suspending', 'wait project-busy', seen({ pendingState: 'idle' }), {}],
    ['beside one in transition', 'wait project-busy', seen({}, { others: [pending] }), {}],
    ['with an operation open', 'wait project-busy', seen({}, { openOperations: 1 }), {}],
    ['a client with 5 %', 'wait client-expected', rules({ arrival: () => ratio(0.05) }), {}],
    ['a client with 4.9 %', 'send', rules({ arrival: () => ratio(0.049) }), {}],
    ['a client, when now', 'send', rules({ arrival: () => ratio(1) }), { when: 'now' }],
    ['killed', 'wait kill-switch', { ...rules({ stoppedBy: 'kill-switch' }), seen: undefined }, {}],
    ['key refused', 'wait key-refused', { ...rules({ isKeyRefused: true }), seen: undefined }, {}],
    [
      'held by its policy',
      'wait outside-window until 2000',
      { ...rules({ policy: { because: 'outside-window', until: at(2000) } }), seen: undefined },
      { when: 'policy' },
    ],
    ['allowed by its policy, idle', 'send', {}, { when: 'policy' }],
    ['allowed by its policy, awake', 'wait awake', seen({ state: 'active' }), { when: 'policy' }],
    ['delay by a policy, awake', 'send', seen({ state: 'active' }), { ...delay(300, 60), when: 'policy' }],
    ['delay by a policy, idle', 'wait asleep', {}, { ...delay(300, 60), when: 'policy' }],
    ['at the deadline', 'send', {}, { deadline: NOW }],
    ['after the deadline', 'expired', { seen: undefined }, { deadline: at(999) }],
    [
      'after the deadline, by a clock that nobody trusts',
      'wait clock',
      { isClockSteady: false, seen: undefined },
      { deadline: at(999) },
    ],
    ['of an unknown provisioner', 'failed', seen({ unknownProvisioner: 'mainframe' }), {}],
    ['so already', 'done', seen({ sizing: { fixed: cu(0.25) } }), {}],
    ['so already, as equal limits', 'done', seen({ sizing: { min: cu(0.25), max: cu(0.25) } }), {}],
    ['set by somebody else', 'superseded', seen({ sizing: { fixed: cu(2) } }), {}],
    ['delay, awake', 'send', seen({ state: 'active' }), delay(300, 60)],
    ['delay, idle, a client expected', 'send', rules({ arrival: () => ratio(1) }), delay(300, 60)],
    ['300 s over a default of 300 s', 'done', seen({ autosuspendDelay: undefined }), delay(60, 300)],
    ['the default where it is in force', 'done', seen({ autosuspendDelay: undefined }), delay(60, 0)],
    [
      'shortened within the hour',
      'wait delay-pace until 3700',
      rules({ shortenedAt: at(100) }),
      delay(300, 60),
    ],
    ['longer within the hour', 'send', rules({ shortenedAt: at(100) }), delay(300, 600)],
    ['shortened an hour ago', 'send', rules({ shortenedAt: at(1000 - 3600) }), delay(300, 60)],
    ['restart, idle', 'wait next-start', {}, restart],
    ['restart, awake', 'send', seen({ state: 'active', startedAt: at(-5) }), restart],
    ['restart when idle, awake', 'wait next-start', seen({ state: 'active' }), { ...restart, when: 'idle' }],
    ['restart, started since', 'done', seen({ state: 'active', startedAt: at(5) }), restart],
  ])('%s: %s', (_, expected, over, fields) => {
    expect(textOf(stepOf(SCHEDULED, over, fields))).toBe(expected)
  })

  test('waits for the time that the service named', () => {
    expect(textOf(stepOf({ ...SCHEDULED, notBefore: at(1001) } as ChangeState))).toBe('wait retry until 1001')
  })

  test('states what is stored before the request is written', () => {
    const before = { ...SCHEDULED, approvedBy: 'bob', attempts: 2 } as ChangeState
    expect(stepOf(before, seen({ startedAt: at(-600) }))).toEqual({
      do: 'send',
      state: applyingOf({ approvedBy: 'bob', attempt: 3, sentAt: NOW, uncertainAt: undefined }),
    })
  })

  test('names both values when somebody else set another one', () => {
    expect(stepOf(SCHEDULED, seen({ sizing: { fixed: cu(2) } }))).toMatchObject({
      state: { because: 'somebody else set 2 CU; 0.25 CU was to be set' },
    })
  })
})

test('one that was answered five times that its compute is not there fails where looks show it', () => {
  expect(stepOf({ ...SCHEDULED, attempts: 5 } as ChangeState)).toMatchObject({
    state: { at: 'failed', because: 'no effect after 5 requests' },
  })
})

test.each([
  ['proposed', {}, 'wait approval'],
  ['proposed', { deadline: at(999) }, 'expired'],
] as const)('a change that is %s %j: %s', (_, fields, expected) => {
  expect(textOf(stepOf({ at: 'proposed' }, {}, fields))).toBe(expected)
})

test('a proposal does not expire by a clock that nobody trusts', () => {
  expect(textOf(stepOf({ at: 'proposed' }, { isClockSteady: false }, { deadline: at(999) }))).toBe(
    'wait clock',
  )
})

test('a change that has ended needs nothing', () => {
  expect(textOf(stepOf({ at: 'done', because: 'verified', endedAt: at(1) }))).toBe('nothing')
})

describe('a request without a certain answer', () => {
  const [settled, early] = [seen(), { seen: seenOf(), settle: seconds(95) }]
  test.each<[string, string, Partial<StepInput>, Parameters<typeof applyingOf>[0], Partial<Change>]>([
    ['seen too long ago', 'look', seen({}, { askedAt: at(990) }), {}, {}],
    ['took effect', 'verifying', seen({ sizing: { fixed: cu(0.25) } }), {}, {}],
    ['may still land', 'wait settle until 1025', settled, {}, {}],
    ['may still land, at the last instant', 'wait settle until 1000', early, {}, {}],
    ['had no effect', 'scheduled', { settle: seconds(93) }, {}, {}],
    ['had no effect, by another process', 'wait settle until 1060', { epoch: 4, openedAt: at(940) }, {}, {}],
    ['had no effect, five times', 'failed', { settle: seconds(93) }, { attempt: 5 }, {}],
    [
      'set by somebody else',
      'superseded',
      { ...seen({ sizing: { fixed: cu(2) } }), settle: seconds(9) },
      {},
      {},
    ],
    [
      'took effect, and was set back by somebody else',
      'superseded',
      { ...seen({}, { operations: [operation('apply_config', 900)] }), settle: seconds(9) },
      {},
      {},
    ],
    [
      'had no effect, after settings were applied before it',
      'scheduled',
      { ...seen({}, { operations: [operation('apply_config', 899)] }), settle: seconds(9) },
      {},
      {},
    ],
    [
      'not restarted, though a role was applied',
      'scheduled',
      {
        ...seen({ startedAt: at(-600) }, { operations: [operation('apply_config', 900)] }),
        settle: seconds(9),
      },
      {},
      restart,
    ],
    [
      'an operation is open',
      'wait project-busy',
      { ...seen({}, { openOperations: 1 }), settle: seconds(9) },
      {},
      {},
    ],
    ['restarted', 'verifying', seen({ startedAt: at(901) }), {}, restart],
    [
      'restarted, by its operation',
      'verifying',
      seen({}, { operations: [operation('start_compute', 900)] }),
      {},
      restart,
    ],
    ['not restarted', 'scheduled', { ...seen({ startedAt: at(-600) }), settle: seconds(9) }, {}, restart],
    ['restart that nothing shows', 'unknown', { settle: seconds(9) }, { baseStartedAt: undefined }, restart],
  ])('%s: %s', (_, expected, over, state, fields) => {
    expect(textOf(stepOf(applyingOf(state), over, fields))).toBe(expected)
  })

  test('counts as an attempt when it is scheduled again', () => {
    const step = stepOf(applyingOf({ approvedBy: 'bob', attempt: 2 }), { settle: seconds(9) })
    const state = { at: 'scheduled', approvedBy: 'bob', notBefore: NOW, attempts: 2 }
    expect(step).toEqual({ do: 'record', state })
  })
})

const scheduledFor = (notBefore: ReturnType<typeof at>) => ({
  at: 'scheduled',
  approvedBy: undefined,
  notBefore,
  attempts: 2,
})

describe('an answer', () => {
  const sent = applyingOf({ attempt: 3, uncertainAt: undefined })
  const after = (answer: Sent) => afterAnswer(sent, { answer, random: 0.5, now: NOW })
  const later = scheduledFor(at(1152.5))
  test.each<[ServiceError | { kind: 'withdrawn' }, unknown]>([
    [{ kind: 'withdrawn' }, scheduledFor(at(1001))],
    [{ kind: 'busy' }, later],
    [{ kind: 'unavailable', message: 'refused' }, later],
    [{ kind: 'unauthorized' }, later],
    [{ kind: 'limited', until: at(1030) }, scheduledFor(at(1030))],
    // an attempt, so that a compute that is listed all the time ends it
    [
      { kind: 'gone', message: 'x' },
      { ...later, attempts: 3 },
    ],
    [
      { kind: 'refused', status: 400, message: 'x' },
      { at: 'failed', because: 'refused (400): x', endedAt: NOW },
    ],
    [
      { kind: 'uncertain', message: 'x' },
      { ...sent, uncertainAt: NOW },
    ],
    [
      { kind: 'malformed', problems: ['x'] },
      { ...sent, uncertainAt: NOW },
    ],
  ])('%j', (error, expected) => {
    expect(after(failed(error))).toEqual(expected)
  })

  test('of success names the operations that end it', () => {
    const operations = [operation('apply_config', 1)]
    expect(after(ok({ compute: compute(), operations }))).toEqual({
      at: 'verifying',
      since: NOW,
      sent: { at: at(900), sessions: 0 },
      operationIds: operations.map(({ operationId }) => operationId),
    })
    expect(after(ok(undefined))).toMatchObject({ at: 'verifying', operationIds: [] })
  })
})

const VERIFYING: ChangeState = {
  at: 'verifying',
  since: at(950),
  operationIds: [],
  sent: { at: at(900), sessions: 2 },
}

test.each<[string, ChangeState, 'gone' | 'unavailable', ChangeState | undefined]>([
  ['waits expires', SCHEDULED, 'gone', { at: 'expired', because: 'the compute is deleted', endedAt: NOW }],
  [
    'may have been sent expires, because nothing failed',
    applyingOf(),
    'gone',
    {
      at: 'expired',
      because: 'the compute was deleted before the effect of the request was seen',
      endedAt: NOW,
    },
  ],
  [
    'was sent expires with what it interrupted',
    VERIFYING,
    'gone',
    {
      at: 'expired',
      because: 'the compute was deleted before the effect of the request was seen',
      endedAt: NOW,
      sent: { at: at(900), sessions: 2 },
    },
  ],
  ['could not be looked at goes on', SCHEDULED, 'unavailable', undefined],
])('where its compute is deleted a change that %s', (_, state, kind, expected) => {
  expect(afterFailedLook(changeOf({ state }), { kind, message: 'x' }, NOW)).toEqual(expected)
})
