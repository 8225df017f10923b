// Evaluation of one compute: what it takes from the configuration and the budgets.
import { expect, test } from 'vitest'
import { evaluateCompute, type AdvicePlan } from '../../../src/daemon/advice/evaluate.ts'
import { DEFAULT_ADVICE_POLICY } from '../../../src/model/policy/advice-policy.ts'
import { createPolicies, type PolicyRule } from '../../../src/model/policy/policies.ts'
import type { Recommendation } from '../../../src/model/policy/recommendation.ts'
import { after, cu, micros, seconds } from '../../../src/model/units.ts'
import { bucket, hoursOf, range, sizedInput, stepsOf } from '../../advise/sizing/build.ts'
import { adviseEntry, adviseInput, adviseRef } from '../../support/advise-input.ts'
import { at } from '../../support/build.ts'
import { recommendation } from '../../support/recommendations.ts'
import { memoryStore } from '../../support/memory-store.ts'

const DAY = 86_400

async function evaluated(
  over: Partial<AdvicePlan>,
  input = sizedInput(range(0.25, 8)),
  open: readonly Recommendation[] = [],
) {
  const { plan, preset, needs, prices, entry, settings, gaps, days, hours, steps, utilisation, now } = input
  const store = memoryStore()
  const account = store.account('main')
  await account.commit([{ kind: 'compute', entry }])
  await account.commit([
    ...settings.map((setting) => ({ kind: 'setting', setting }) as const),
    ...open.map((one) => ({ kind: 'recommendation', recommendation: one }) as const),
    ...gaps.map((gap) => ({ kind: 'gap', gap }) as const),
    ...days.map((day) => ({ kind: 'day', day }) as const),
    ...[...hours, ...steps].map((rollup) => ({ kind: 'rollup', rollup }) as const),
  ])
  const { after: result } = await evaluateCompute(entry, {
    history: store,
    plan: { plan, preset, needs, prices, policies: createPolicies([]), minSaving: micros(0), ...over },
    utilisation,
    project: undefined,
    now,
  })
  return result
}

test('policies get the price of an hour awake, at the usual size', async () => {
  let price = 0
  const policies: AdvicePlan['policies'] = {
    of: (_, awakeHour) => {
      price = awakeHour
      return DEFAULT_ADVICE_POLICY
    },
    scheduleOf: () => [],
  }
  await evaluated({ policies })
  expect(price).toBe(0.25 * 106_000)
})

const settingOf = (hours: number, delay: number) => ({
  ref: adviseRef,
  since: at(hours * 3600),
  delay: seconds(delay),
  sizing: { fixed: cu(0.25) },
})

test('the delays of its schedule keep no follow-up of a compute from its end', async () => {
  const input = adviseInput({
    entry: adviseEntry({ observedAt: at(28 * DAY) }, { lastActive: at(28 * DAY) }),
    settings: [settingOf(-24, 300), settingOf(33, 900), settingOf(42, 300)],
    gaps: Array.from({ length: 28 }, (_, day) => ({
      ref: adviseRef,
      from: at(day * DAY),
      low: seconds(40_000),
      high: seconds(40_000),
      hiddenBelow: seconds(0),
    })),
    now: at(28 * DAY),
  })
  const followed = recommendation({ life: { state: 'implemented', at: at(0), realised: undefined } })
  const rule: PolicyRule = {
    match: {},
    autosuspend: {
      floor: seconds(60),
      ceiling: 'never',
      wakeCost: seconds(300),
      schedule: [{ window: 'office', delay: seconds(900) }],
    },
  }
  const realised: boolean[] = []
  for (const rules of [[], [rule]]) {
    // oxlint-disable-next-line no-await-in-loop -- one evaluation after the other
    const { recommendations } = await evaluated({ policies: createPolicies(rules) }, input, [followed])
    const found = recommendations.find(({ id }) => id === followed.id)
    realised.push(found?.life.state === 'implemented' && found.life.realised !== undefined)
  }
  expect(realised).toEqual([false, true])
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

test('a setting that the last look saw is in force, though the upper bound of its time is ahead of now', async () => {
  const input = sizedInput(range(0.25, 8))
  const [ref, now] = [input.entry.ref, input.now]
  const seen = (ahead: number) => ({
    ref,
    since: after(now, seconds(ahead)),
    delay: seconds(900),
    sizing: range(0.25, 8),
  })
  const open = recommendation({ ref, from: { delay: seconds(300) }, to: { delay: seconds(900) } })
  const stateAfter = async (ahead: number) => {
    const settings = [...input.settings, seen(ahead)]
    const { recommendations } = await evaluated({}, { ...input, settings }, [open])
    return recommendations.find(({ id }) => id === open.id)?.life
  }
  expect(await stateAfter(1.3)).toEqual({ state: 'implemented', at: now, realised: undefined })
})
