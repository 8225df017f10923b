import { expect, test } from 'vitest'
import { DEFAULT_ADVICE_NEEDS, DEFAULT_ADVICE_POLICY } from '../../../src/model/policy/advice-policy.ts'
import { RECOMMENDATION_KINDS } from '../../../src/model/policy/recommendation.ts'
import { micros } from '../../../src/model/units.ts'
import { GOOD, problemsOf } from '../loading.ts'
import { loadPolicies, policyTarget } from './loaded-policies.ts'

const policiesOf = (text: string) => loadPolicies(`${GOOD}policies:\n${text}\n`)

const HOUR_PRICE = micros(24_000)

test('of each group of settings the most specific policy holds, as for owners, with defaults for what it leaves out', () => {
  const policies = policiesOf(`
  - { match: { project: "sh*" }, autosuspend: { floor: 10m, ceiling: 1h, wake_cost: 15m }, recommend: "off" }
  - { match: { compute: [ep-z, "ep-a*"] }, sizing: { min: 0.5, max: 4, never_down: true, hit_ratio: 0.95 }, recommend: [sizing] }`)
  expect(policies.of(policyTarget('ep-x'), HOUR_PRICE)).toEqual({
    kinds: [],
    floor: 600,
    ceiling: 3600,
    wakeCost: 900,
    sizing: { min: undefined, max: undefined, neverDown: false, hitRatio: 0.99 },
  })
  expect(policies.of(policyTarget('ep-ab'), HOUR_PRICE)).toEqual({
    kinds: ['sizing'],
    floor: 600,
    ceiling: 3600,
    wakeCost: 900,
    sizing: { min: 0.5, max: 4, neverDown: true, hitRatio: 0.95 },
  })
  expect(policies.of(policyTarget('ep-x', 'blog'), HOUR_PRICE)).toEqual(DEFAULT_ADVICE_POLICY)
})

test.each<[money: string, awakeHour: number, seconds: number]>([
  ['0.002', 24_000, 300],
  ['"0.002"', 12_000, 600],
  ['0.000001', 24_000, 1],
  ['5', 24_000, 86_400],
  ['0.002', 0, 86_400],
])('a wake cost of %s at %i micros an hour counts as %i s', (money, awakeHour, wakeCost) => {
  const policies = policiesOf(`  - { autosuspend: { wake_cost: { money: ${money} } } }`)
  expect(policies.of(policyTarget('ep-x'), micros(awakeHour)).wakeCost).toBe(wakeCost)
})

test('a freeze that is no window is a problem of its place', () => {
  expect(
    problemsOf(`${GOOD}windows: { year-end: "Mon 08:00-09:00" }\nchanges: { freeze: [year-end, yearend] }`),
  ).toEqual([expect.stringMatching(/^changes\.freeze\[1\]: .*year-end/)])
})

test('a policy without keys is the default', () => {
  expect(policiesOf('  - {}').of(policyTarget('ep-x'), HOUR_PRICE)).toEqual(DEFAULT_ADVICE_POLICY)
})

test('a policy may need other evidence than advice asks for; keys that it leaves out have their defaults', () => {
  const policies = policiesOf(`
  - { match: { project: shop }, advice: { min_history: 12s, grid: 1s } }`)
  const needs = { ...DEFAULT_ADVICE_NEEDS, minHistory: 12, grid: 1 }
  expect(policies.of(policyTarget('ep-x'), HOUR_PRICE)).toEqual({ ...DEFAULT_ADVICE_POLICY, needs })
  expect(policies.of(policyTarget('ep-x', 'blog'), HOUR_PRICE).needs).toBeUndefined()
})

test('the update window of a project needs no window of the file, and short windows that follow each other are one', () => {
  const windows =
    'windows: { halves: ["10:00-10:06", { cron: "6 10 * * *", duration: 6m }], past: { from: "2020-01-01T00:00", to: "2020-01-02T00:00" } }'
  const text = `${GOOD}${windows}
policies:
  - match: { project: a }
    restart: { when: [window], windows: [service, halves, past] }
  - match: { project: b }
    restart: { deny: [service] }
`
  expect(problemsOf(text)).toEqual([])
})

test('a floor outside of the plan is no error', () => {
  expect(problemsOf(`${GOOD}policies: [{ autosuspend: { floor: 10m } }]\n`)).toEqual([])
})

const KINDS = RECOMMENDATION_KINDS.join(', ')

test.each([
  ['that is no list', '{}', 'policies: expected a list of policies'],
  [
    'with a floor over its ceiling',
    '[{ autosuspend: { floor: 10m, ceiling: 5m } }]',
    'policies[0].autosuspend.ceiling: expected at least autosuspend.floor',
  ],
  [
    'with the default floor over its ceiling',
    '[{ autosuspend: { ceiling: 30s } }]',
    'policies[0].autosuspend.ceiling: expected at least autosuspend.floor',
  ],
  [
    'with a wake cost without unit',
    '[{ autosuspend: { wake_cost: 300 } }]',
    'policies[0].autosuspend.wake_cost: expected a length of time such as 5m, or money: { money: 0.002 }',
  ],
  [
    'with a wake cost of two days',
    '[{ autosuspend: { wake_cost: 2d } }]',
    'policies[0].autosuspend.wake_cost: expected a length of time of 1s to 1d',
  ],
  [
    'with a wake that costs nothing',
    '[{ autosuspend: { wake_cost: { money: 0 } } }]',
    'policies[0].autosuspend.wake_cost.money: expected an amount above 0',
  ],
  [
    'with a wake that costs less than nothing',
    '[{ autosuspend: { wake_cost: { money: -1 } } }]',
    'policies[0].autosuspend.wake_cost.money: expected an amount of at least 0 with at most 6 decimals, such as 0.106',
  ],
  [
    'with another key of money',
    '[{ autosuspend: { wake_cost: { money: 1, mony: 1 } } }]',
    'policies[0].autosuspend.wake_cost.mony: unknown key, did you mean money?',
  ],
  [
    'with a size between steps',
    '[{ sizing: { min: 0.3 } }]',
    'policies[0].sizing.min: expected a size of 0.25 to 56 CU in steps of 0.25',
  ],
  [
    'with a minimum over its maximum',
    '[{ sizing: { min: 4, max: 2 } }]',
    'policies[0].sizing.min: expected at most sizing.max',
  ],
  [
    'with a hit ratio in percent',
    '[{ sizing: { hit_ratio: 99 } }]',
    'policies[0].sizing.hit_ratio: expected a share from 0 to 0.999',
  ],
  [
    'with an unknown kind',
    '[{ recommend: [delays] }]',
    `policies[0].recommend: expected off or a list of ${KINDS}`,
  ],
  ['with another word', '[{ recommend: all }]', `policies[0].recommend: expected off or a list of ${KINDS}`],
  [
    'with a misspelt key',
    '[{ autosuspend: { wakecost: 5m } }]',
    'policies[0].autosuspend.wakecost: unknown key, did you mean wake_cost?',
  ],
])('a policy %s is refused', (_, text, problem) => {
  expect(problemsOf(`${GOOD}policies: ${text}\n`)).toEqual([expect.stringContaining(problem)])
})

test.each([
  ['min_history: 0s', 'advice.min_history: expected a length of time of 1s to 28d'],
  ['min_gaps: 0', 'advice.min_gaps: expected a whole number from 1 to 10000'],
  ['min_peaks: 60d', 'advice.min_peaks: expected a length of time of 1s to 28d'],
  ['grid: 2h', 'advice.grid: expected a length of time of 1s to 1h'],
])('evidence of %s is refused', (text, problem) => {
  expect(problemsOf(`${GOOD}advice: { ${text} }\n`)).toEqual([problem])
})
