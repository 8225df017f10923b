// Policies that the plan of the account leaves nothing to change.
import { describe, expect, test } from 'vitest'
import { problemsOf } from '../loading.ts'

const accounts = (...plans: readonly string[]) =>
  `accounts: [${plans.map((plan, index) => `{ name: a${index}, base_url: "https://h/api/v2", plan: ${plan}, api_key_env: KEY }`).join(', ')}]\n`
const PRESET = 'service: { preset: "2026-03" }\n'

const problems = (plan: string, policy: string) =>
  problemsOf(`${accounts(plan)}${PRESET}windows: { night: "22:00-06:00" }\npolicies: [${policy}]\n`)

describe('a policy is refused', () => {
  test.each<[what: string, plan: string, policy: string, problem: string]>([
    [
      'whose delays are all shorter than the plan allows',
      'launch',
      '{ autosuspend: { ceiling: 2m } }',
      'policies[0].autosuspend.ceiling: expected at least 5m, the shortest delay of the plan launch',
    ],
    [
      'with a schedule of a delay that is shorter',
      'launch',
      '{ autosuspend: { schedule: [{ in: night, delay: 2m }] } }',
      'policies[0].autosuspend.schedule[0].delay: expected at least 5m, the shortest delay of the plan launch',
    ],
    [
      'with a schedule of a window that there is not',
      'scale',
      '{ autosuspend: { schedule: [{ in: nigth, delay: 2m }] } }',
      'policies[0].autosuspend.schedule[0].in: unknown window nigth, expected one of night',
    ],
    [
      'with a smallest size above the largest',
      'free',
      '{ sizing: { min: 4 } }',
      'policies[0].sizing.min: expected at most 2, the largest size of the plan free',
    ],
    [
      'with a largest size above the largest',
      'launch',
      '{ sizing: { max: 17 } }',
      'policies[0].sizing.max: expected at most 16, the largest size of the plan launch',
    ],
    [
      'with a lever of a delay that the plan fixes',
      'free',
      '{ levers: [sizing, delay] }',
      'policies[0].levers[1]: expected none of delay, which is fixed by the rules of the plan free',
    ],
  ])('%s', (_, plan, policy, problem) => {
    expect(problems(plan, policy)).toEqual([problem])
  })

  test('with a lever of sizes where the plan has one size', () => {
    expect(
      problemsOf(`${accounts('free')}service: { preset: interface }\npolicies: [{ levers: [sizing] }]\n`),
    ).toEqual([
      'policies[0].levers[0]: expected none of sizing, which is fixed by the rules of the plan free',
    ])
  })
})

test('a policy is accepted where the plan of one account allows what it says', () => {
  const policy = 'policies: [{ autosuspend: { ceiling: 2m }, sizing: { min: 4 }, levers: [delay] }]\n'
  expect(problemsOf(`${accounts('free', 'scale')}${PRESET}${policy}`)).toEqual([])
})
