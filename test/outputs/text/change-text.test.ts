import { expect, test } from 'vitest'
import type { Change, ChangeSettings } from '../../../src/model/policy/change.ts'
import type { Hold } from '../../../src/model/policy/hold.ts'
import { after, cu, seconds } from '../../../src/model/units.ts'
import { planJson } from '../../../src/outputs/text/change-json.ts'
import { plansSchema, type PlanJson } from '../../../src/outputs/text/change-schema.ts'
import { holdLine, planLines } from '../../../src/outputs/text/change-text.ts'
import { compute } from '../../support/build.ts'
import { changeOf } from '../../support/changes.ts'

test('what a change waits for, and how long, to the second', () => {
  const hold = { because: 'awake', text: 'it waits until the compute is suspended' } as const
  const times = { since: '2026-01-05T00:00:00.543Z', until: '2026-01-06T00:00:00Z' }
  expect(holdLine({ ...hold, ...times })).toBe(
    'it waits until the compute is suspended, since 2026-01-05T00:00:00Z, until 2026-01-06T00:00:00Z',
  )
  expect(holdLine({ ...hold, since: null, until: null })).toBe('it waits until the compute is suspended')
})

const FROZEN = { because: 'freeze', until: after(changeOf().deadline, seconds(1)) } as const
const AWAKE = { because: 'awake', until: undefined } as const

test.each<[string, Hold, PlanJson['likely_in_time'], RegExp]>([
  ['a freeze beyond the deadline', FROZEN, 'no', /^ {2}waits: .*; not before the deadline$/],
  [
    'a freeze that is always open',
    { because: 'freeze', until: undefined },
    'no',
    /freeze; not before the deadline$/,
  ],
  [
    'a window of the past',
    { because: 'outside-window', until: undefined },
    'no',
    /; not likely before the deadline: none is known to open again$/,
  ],
  ['no suspension', AWAKE, 'no', /; not likely before the deadline: autosuspend is off, /],
  ['a suspension', AWAKE, 'yes', /; likely before the deadline$/],
  ['an unknown suspension', AWAKE, 'unknown', /; nobody can say whether that comes before the deadline$/],
  [
    'an approval',
    { because: 'approval', until: undefined },
    'unknown',
    /; a person decides whether that ends before the deadline$/,
  ],
])('a plan says whether it is made in time: %s', (_, hold, likelyInTime, expected) => {
  const context = { projectName: 'one', computeName: undefined, currency: 'USD' }
  const facts = {
    change: changeOf(),
    id: undefined,
    context,
    hold,
    slot: undefined,
    likelyInTime,
    atOnce: [],
  }
  expect(planLines(planJson(facts)).find((line) => line.startsWith('  waits'))).toMatch(expected)
})

test.each<[string, ChangeSettings, readonly string[]]>([
  [
    'delay and size',
    { autosuspendDelay: seconds(60), sizing: { min: cu(0.25), max: cu(2) } },
    [
      '  changes at once, as they have no delay of their own: ep-one',
      '  changes no size of an existing compute',
    ],
  ],
  ['a size', { sizing: { fixed: cu(2) } }, ['  changes no size of an existing compute']],
  [
    'a delay',
    { autosuspendDelay: seconds(60) },
    ['  changes at once, as they have no delay of their own: ep-one'],
  ],
])('a plan of defaults says which existing computes %s change', (_, desired, expected) => {
  const change: Change = changeOf({
    ref: { account: 'main', projectId: 'project-one' },
    kind: 'defaults',
    before: { sizing: { fixed: cu(1) }, autosuspendDelay: seconds(300) },
    desired,
  })
  const plan = planJson({
    change,
    id: undefined,
    context: { projectName: 'one', computeName: undefined, currency: 'USD' },
    hold: undefined,
    slot: undefined,
    likelyInTime: 'yes',
    atOnce: desired.autosuspendDelay === undefined ? [] : [{ compute: compute() }],
  })
  expect(plansSchema.shape.plans.parse([plan])).toEqual([plan])
  expect(planLines(plan).filter((line) => line.startsWith('  changes'))).toEqual(expected)
})
