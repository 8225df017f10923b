import { expect, test } from 'vitest'
import type { BudgetPlanJson } from '../../../src/outputs/text/change-schema.ts'
import { budgetPlanSchema } from '../../../src/outputs/text/change-schema.ts'
import { budgetPlanLines } from '../../../src/outputs/text/budget-plan-text.ts'

const PLAN: BudgetPlanJson['rungs'][number]['steps'][number]['plan'] = {
  account: 'main',
  project_id: 'project-one',
  project_name: 'shop',
  endpoint_id: 'ep-one',
  name: null,
  currency: 'USD',
  change_id: null,
  kind: 'delay',
  from: { delay_seconds: 300 },
  to: { delay_seconds: 60 },
  when: 'policy',
  restarts: false,
  request: { method: 'PATCH', path: '/projects/project-one/endpoints/ep-one', body: { endpoint: {} } },
  plan_hash: 'abc',
  recommendation_id: null,
  promised_micros_per_30_days: null,
  deadline: '2026-12-01T00:00:00.000Z',
  waits_for: null,
  slot: null,
  likely_in_time: 'yes',
  changes_at_once: [],
}

const amount = (likely: number) => ({ low: 0, likely, high: 2 * likely })

const BUDGET: BudgetPlanJson = {
  schema_version: 1,
  mode: 'apply',
  kill_switch: [],
  account: 'main',
  budget: 'preview',
  currency: 'USD',
  period: { from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' },
  share: 0.87,
  acting: 'acts',
  rungs: [
    { rung: 50, reached: true, does: 'notifies', steps: [], made: [], saving_micros: null },
    {
      rung: 80,
      reached: true,
      does: 'notifies; delays go to their floors',
      steps: [
        { plan: PLAN, state: 'scheduled', because: null, saving_micros: amount(1_500_000) },
        {
          plan: { ...PLAN, endpoint_id: 'ep-two' },
          state: null,
          because: 'its policy has no lever for it',
          saving_micros: null,
        },
      ],
      made: [{ change_id: 'ch-one', endpoint_id: 'ep-three', state: 'done' }],
      saving_micros: amount(1_500_000),
    },
  ],
}

test('a plan of a budget is a line for each rung, then what was made, what will be, and what is not made and why', () => {
  expect(budgetPlanSchema.parse(BUDGET)).toEqual(BUDGET)
  expect(budgetPlanLines(BUDGET)).toEqual([
    'budget preview: 87 % spent in the period until 2026-12-01T00:00:00Z',
    '50 %, reached: notifies',
    '80 %, reached: notifies; delays go to their floors; saves 1.50 USD (0.00 USD to 3.00 USD) until the end of the period',
    '  ep-three: change ch-one is done',
    '  ep-one of shop: 300 s → 60 s',
    '    restarts nothing; while the compute is awake, until 2026-12-01T00:00:00Z',
    '    request: PATCH /projects/project-one/endpoints/ep-one {"endpoint":{}}',
    '    plan hash: abc',
    '    made by its policy; saves 1.50 USD (0.00 USD to 3.00 USD) until the end of the period',
    '  ep-two of shop: 300 s → 60 s',
    '    not made: its policy has no lever for it; would save an unknown amount',
  ])
})
