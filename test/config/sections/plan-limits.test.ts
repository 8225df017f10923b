import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { planLimits } from '../../../src/model/policy/plan-limits.ts'
import { folder, GOOD, load, makeConfigFolder, problemsOf } from '../loading.ts'

const NEGOTIATED = 'currency: USD\nplans: { negotiated: [{ from: 2026-01-01, cu_hour: 1 }] }'

function limitsOf(plan: string, service: string) {
  makeConfigFolder()
  writeFileSync(join(folder, 'prices.yaml'), NEGOTIATED)
  const file = plan === 'negotiated' ? 'prices: { file: prices.yaml }\n' : ''
  const config = load(`${GOOD.replace('launch', plan)}${file}service: ${service}\n`)
  if (!config.ok) throw new Error(config.error.join('\n'))
  return config.value.accounts[0]?.limits
}

test.each(['free', 'launch', 'scale'])('plan %s has the limits of the preset', (plan) => {
  expect(limitsOf(plan, '{}')).toEqual(planLimits('2026-03', plan))
  expect(limitsOf(plan, '{ preset: interface }')).toEqual(planLimits('interface', plan))
})

test('keys that are given hold in place of those of the preset', () => {
  expect(
    limitsOf('launch', '{ plan_limits: { launch: { delays: { from: 60s, to: 1h }, widest_range: 4 } } }'),
  ).toEqual({ ...planLimits('2026-03', 'launch'), delays: { from: 60, to: 3600 }, widestRange: 4 })
})

test('nothing is known of another row of the price file, until the configuration says what it is like', () => {
  expect(limitsOf('negotiated', '{}')).toBeUndefined()
  expect(
    limitsOf('negotiated', '{ plan_limits: { negotiated: { like: scale, may_never: false } } }'),
  ).toEqual({ ...planLimits('2026-03', 'scale'), mayNever: false })
})

test.each([
  [
    '{ negotiated: { may_never: false } }',
    'service.plan_limits.negotiated.like: is missing: expected one of free, launch, scale',
  ],
  [
    '{ launch: { delays: { from: 10m, to: 5m } } }',
    'service.plan_limits.launch.delays.from: expected at most delays.to',
  ],
  ['{ launch: { delays: { from: 10m } } }', 'service.plan_limits.launch.delays.to: is missing'],
  ['{ launch: { like: pro } }', 'service.plan_limits.launch.like: expected one of free, launch, scale'],
  [
    '{ launch: { largest_fixed: 100 } }',
    'service.plan_limits.launch.largest_fixed: expected a size of 0.25 to 56 CU in steps of 0.25',
  ],
  ['{ launch: { never: true } }', 'service.plan_limits.launch.never: unknown key'],
])('limits of %s are refused', (text, problem) => {
  expect(problemsOf(`${GOOD}service: { plan_limits: ${text} }\n`)).toEqual([expect.stringContaining(problem)])
})
