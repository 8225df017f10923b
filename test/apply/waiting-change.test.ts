// A change that waits, and what ends it: a deadline, or another value of the compute.
import { expect, test } from 'vitest'
import { nextStep, type Step, type StepInput } from '../../src/apply/next-step.ts'
import type { Change } from '../../src/model/policy/change.ts'
import { cu, seconds } from '../../src/model/units.ts'
import { at } from '../support/build.ts'
import { SCHEDULED } from '../support/changes.ts'
import { inputOf, NOW, RULES, seenOf } from './build.ts'

const stepOf = (over: Partial<StepInput>, fields: Partial<Change>): Step =>
  nextStep(inputOf(SCHEDULED, over, fields), NOW)

const delay = (from: number, to: number): Partial<Change> => ({
  kind: 'delay',
  before: { autosuspendDelay: seconds(from) },
  desired: { autosuspendDelay: seconds(to) },
})
const seen = (...given: Parameters<typeof seenOf>) => ({ seen: seenOf(...given) })

test.each<[what: string, expected: string, Partial<StepInput>, Partial<Change>]>([
  [
    'of a compute without a delay of its own, whose project has another default now',
    'send',
    seen({ state: 'active', autosuspendDelay: undefined }, { defaultDelay: seconds(600) }),
    { ...delay(300, 60), hadDefaultDelay: true },
  ],
  [
    'of a compute that has a delay of its own now',
    'superseded',
    seen({ state: 'active', autosuspendDelay: seconds(600) }),
    { ...delay(300, 60), hadDefaultDelay: true },
  ],
  [
    'of a compute that had the same delay of its own and has none now',
    'superseded',
    seen({ state: 'active', autosuspendDelay: undefined }, { defaultDelay: seconds(600) }),
    delay(300, 60),
  ],
  [
    'of size and default delay, set to another size by somebody else',
    'superseded',
    seen({ sizing: { fixed: cu(2) }, autosuspendDelay: undefined }, { defaultDelay: seconds(600) }),
    {
      before: { sizing: { fixed: cu(1) }, autosuspendDelay: seconds(300) },
      desired: { sizing: { fixed: cu(0.25) }, autosuspendDelay: seconds(60) },
      hadDefaultDelay: true,
    },
  ],
])('%s: %s', (_, expected, over, fields) => {
  const step = stepOf(over, fields)
  expect(step.do === 'record' ? step.state.at : step.do).toBe(expected)
})

test.each<[origin: Change['origin'], because: string]>([
  [
    { by: 'policy', id: 'ep-one.sizing.1', hash: 'h', name: 'policies[0]' },
    'no moment fitted within restart.max_wait of its policy',
  ],
  [{ by: 'person', name: 'alice' }, 'no moment fitted before the deadline'],
])('a change of %j that expires says why', (origin, because) => {
  expect(stepOf({}, { deadline: at(999), origin })).toEqual({
    do: 'record',
    state: { at: 'expired', because, endedAt: NOW },
  })
})

test('a change that its policy held until the deadline says so: no window was missing', () => {
  const held = { rules: { ...RULES, policy: { because: 'policy', until: undefined } } } as const
  expect(stepOf(held, { deadline: at(999), when: 'policy' })).toMatchObject({
    state: { at: 'expired', because: 'its policy makes no such changes any more' },
  })
})
