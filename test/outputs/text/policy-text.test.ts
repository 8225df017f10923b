import { expect, test } from 'vitest'
import { DEFAULT_RESTART_RULES, type ChangePolicy } from '../../../src/model/policy/change-policy.ts'
import { policyLines } from '../../../src/outputs/text/policy-text.ts'
import { seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'

const POLICY: ChangePolicy = {
  mode: 'apply',
  levers: ['delay', 'sizing'],
  restart: DEFAULT_RESTART_RULES,
  path: 'policies[0]',
}

test.each<[expected: string, over: Partial<ChangePolicy>]>([
  [
    'policies[0], mode apply, levers delay and sizing; restarts a suspended compute at any time; a change that waits for 14 d expires with an alert',
    {},
  ],
  [
    'policies[0], mode approve, lever delay; a change that waits for 14 d expires with an alert',
    { mode: 'approve', levers: ['delay'] },
  ],
  [
    'policies[0], mode apply, lever delay; a change that waits for 14 d expires with an alert; sets a value again that somebody else overwrites',
    { levers: ['delay'], onForeignChange: 'reapply' },
  ],
  [
    'policies[0], mode apply, lever delay; a change that waits for 14 d expires with an alert; alerts where somebody else overwrites a value',
    { levers: ['delay'], onForeignChange: 'alert' },
  ],
  ['policies[0], mode apply, lever warm; starts computes ahead of clients', { levers: ['warm'] }],
  [
    'policies[2] (line 34 of the file), mode apply, lever delay; a change that waits for 14 d expires with an alert',
    { path: 'policies[2]', line: 34, levers: ['delay'] },
  ],
  [
    'policies[2], managed by terraform: nothing is changed without a request, recommendations are texts for it',
    { path: 'policies[2]', mode: 'suggest', levers: [], managedBy: 'terraform' },
  ],
  [
    'policies[1], mode apply, lever sizing; restarts a suspended compute in the windows night, lunch, an awake one there at a low load, which interrupts clients, never in the window office; a change that waits for 36 h expires with an alert',
    {
      path: 'policies[1]',
      levers: ['sizing'],
      restart: {
        ...DEFAULT_RESTART_RULES,
        when: ['window'],
        windows: ['night', 'lunch'],
        deny: ['office'],
        maxWait: seconds(36 * 3600),
      },
    },
  ],
  [
    'policies[0], mode apply, lever sizing; restarts a suspended compute at any time, an awake one in the window night while nobody uses it; a change that waits for 14 d expires with an alert',
    {
      levers: ['sizing'],
      restart: { ...DEFAULT_RESTART_RULES, when: ['natural', 'quiet'], windows: ['night'] },
    },
  ],
])('%s', (expected, over) => {
  expect(policyLines({ policy: { ...POLICY, ...over }, held: [], steps: [] })).toEqual([
    `policy of changes: ${expected}`,
  ])
})

test('each recommendation and step of a budget of which no change is made has its reason', () => {
  const held = [
    { id: 'ep-one.delay.1', because: 'lever' },
    { id: 'ep-one.sizing.2', because: 'fleet-brake' },
  ] as const
  const steps = [
    { origin: { by: 'budget', name: 'preview', rung: 80, period: at(0) }, because: 'mode' },
    { origin: { by: 'schedule', name: 'office', period: at(0) }, because: 'budget' },
  ] as const
  expect(policyLines({ policy: POLICY, held, steps }).slice(1)).toEqual([
    '  no change of ep-one.delay.1: its policy has no lever for it',
    '  no change of ep-one.sizing.2: policies want to restart too many computes at once: a person decides',
    '  no change at 80 % of the budget preview: the mode of its policy makes no changes',
    '  no change while the window office is open: a budget set another value, and puts it back after its period',
  ])
})
