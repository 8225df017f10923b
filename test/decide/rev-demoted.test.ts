import { expect, test } from 'vitest'
import { brakeHold, type BrakeContext } from '../../src/decide/brake-hold.ts'
import { DEFAULT_BRAKES } from '../../src/model/policy/brakes.ts'
import { at } from '../support/build.ts'
import { changeOf } from '../support/changes.ts'
import { seconds } from '../../src/model/units.ts'

const context: BrakeContext = {
  brakes: DEFAULT_BRAKES,
  restarts: [],
  breaker: undefined,
  failedRequests: undefined,
  goFirst: [],
  startedAt: at(0),
  isSwept: true,
  createdAt: at(0),
  engaged: ['sizing', 'delay'].map((subject) => ({
    name: 'demoted',
    subject,
    because: 'the last 20 of the kind saved 50 %',
    engagedAt: at(0),
  })),
}
const budget = { by: 'budget', name: 'preview', rung: 100, period: at(0) } as const
const schedule = { by: 'schedule', name: 'office', period: at(0) } as const
const delay = {
  kind: 'delay',
  desired: { autosuspendDelay: seconds(900) },
  before: { autosuspendDelay: seconds(300) },
} as const
test.each([
  ['a step of a hard budget', changeOf({ when: 'policy', origin: budget })],
  ['what a budget puts back', changeOf({ when: 'policy', origin: { ...budget, of: 'ch-x' } })],
  ['a step of a schedule', changeOf({ when: 'policy', origin: schedule, ...delay })],
  ['what a schedule puts back', changeOf({ when: 'policy', origin: { ...schedule, of: 'ch-x' }, ...delay })],
])('advice that saved too little does not brake %s', (_, change) => {
  expect(brakeHold(change, context, at(30 * 86_400))).toBeUndefined()
})
