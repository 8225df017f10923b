// A change whose request was answered: whether the service shows its result, also after a time without looks.
import { describe, expect, test } from 'vitest'
import { nextStep, type Step, type StepInput } from '../../src/apply/next-step.ts'
import type { ChangeState } from '../../src/model/policy/change.ts'
import { cu } from '../../src/model/units.ts'
import { at, operation } from '../support/build.ts'
import { inputOf, NOW, seenOf } from './build.ts'

const seen = (...given: Parameters<typeof seenOf>) => ({ seen: seenOf(...given) })

const verifying = (since: number): ChangeState => ({
  at: 'verifying',
  since: at(since),
  operationIds: ['op-1'],
  sent: { at: at(900), sessions: 2 },
})

const running = (when: number) => operation('suspend_compute', when, { status: 'running' })

describe('an accepted change', () => {
  const set = { sizing: { fixed: cu(0.25) } }
  const error = { ...operation('apply_config', 950), operationId: 'op-1', status: 'error' }
  const applied = { ...operation('apply_config', 950), operationId: 'op-1' }
  test.each<[string, string, Partial<StepInput>, number]>([
    ['as wanted', 'done', seen(set), 990],
    ['not shown yet', 'wait unverified until 1290', seen(), 990],
    ['still pending', 'wait unverified until 1290', seen({ ...set, pendingState: 'active' }), 990],
    ['an operation open', 'wait unverified until 1290', seen(set, { openOperations: 1 }), 990],
    ['not so after 5 minutes', 'failed', seen(), 699],
    [
      'not so after 5 minutes by a clock that nobody trusts',
      'wait unverified until 999',
      { ...seen(), isClockSteady: false },
      699,
    ],
    [
      'an operation of it open after 5 minutes',
      'failed',
      seen(set, { openOperations: 1, operations: [running(690)] }),
      699,
    ],
    [
      'an operation open that began later, in the first look after an outage',
      'wait unverified',
      seen({ ...set, pendingState: 'idle' }, { openOperations: 1, operations: [running(1000)] }),
      699,
    ],
    [
      'operations of other computes open after 5 minutes',
      'done',
      seen(set, { openOperations: 2, operations: [applied] }),
      699,
    ],
    ['still pending after 5 minutes', 'failed', seen({ ...set, pendingState: 'active' }), 699],
    ['its operation failed', 'failed', seen({}, { operations: [error] }), 990],
    ['set by somebody else since', 'superseded', seen({ sizing: { fixed: cu(2) } }), 990],
    [
      'set back by somebody else since, as their operation shows',
      'superseded',
      seen({}, { operations: [applied, { ...applied, operationId: 'op-2' }] }),
      990,
    ],
    ['its own operation over', 'wait unverified until 1290', seen({}, { operations: [applied] }), 990],
    ['not seen since', 'look', { seen: undefined }, 990],
  ])('%s: %s', (_, expected, over, since) => {
    expect(textOf(nextStep(inputOf(verifying(since), over), NOW))).toBe(expected)
  })
})

function textOf(step: Step): string {
  if (step.do === 'wait') {
    const { because, until } = step.hold
    return `wait ${because}${until === undefined ? '' : ` until ${(until - at(0)) / 1000}`}`
  }
  return step.do === 'record' ? step.state.at : step.do
}
