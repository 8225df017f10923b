// Evaluation of one compute: what it takes from the configuration and the budgets.
import { expect, test } from 'vitest'
import { evaluateCompute, type AdvicePlan } from '../../../src/daemon/advice/evaluate.ts'
import { DEFAULT_ADVICE_POLICY } from '../../../src/model/policy/advice-policy.ts'
import { createPolicies } from '../../../src/model/policy/policies.ts'
import { micros } from '../../../src/model/units.ts'
import { bucket, hoursOf, range, sizedInput, stepsOf } from '../../advise/sizing/build.ts'
import { memoryStore } from '../../support/memory-store.ts'

const DAY = 86_400

async function evaluated(over: Partial<AdvicePlan>, input = sizedInput(range(0.25, 8))) {
  const { plan, preset, needs, prices, entry, settings, days, hours, steps, utilisation, now } = input
  const store = memoryStore()
  const account = store.account('main')
  await account.commit([{ kind: 'compute', entry }])
  await account.commit([
    ...settings.map((setting) => ({ kind: 'setting', setting }) as const),
    ...days.map((day) => ({ kind: 'day', day }) as const),
    ...[...hours, ...steps].map((rollup) => ({ kind: 'rollup', rollup }) as const),
  ])
  const { after } = await evaluateCompute(entry, {
    history: store,
    plan: { plan, preset, needs, prices, policies: createPolicies([]), minSaving: micros(0), ...over },
    utilisation,
    project: undefined,
    now,
  })
  return after
}

test('policies get the price of an hour awake, at the usual size', async () => {
  let price = 0
  const policies: AdvicePlan['policies'] = {
    of: (_, awakeHour) => {
      price = awakeHour
      return DEFAULT_ADVICE_POLICY
    },
  }
  await evaluated({ policies })
  expect(price).toBe(0.25 * 106_000)
})

test('a budget that asks for a smaller size is asked about the compute', async () => {
  const steps = [bucket(22 * DAY, { load: 0.1 }), ...stepsOf([1.5])]
  const input = sizedInput(range(0.25, 8), { steps, hours: hoursOf(8, 10) }, { used: 300, limit: 700 })
  const { recommendations } = await evaluated(
    { overBudgetOf: ({ ref }) => (ref.endpointId === 'ep-one' ? 'dev' : undefined) },
    input,
  )
  const sizing = recommendations.find(({ kind }) => kind === 'sizing')
  expect(sizing).toMatchObject({ to: { sizing: range(0.25, 2) }, detail: { kind: 'budget', name: 'dev' } })
})
