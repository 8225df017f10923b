// Policies about computes that somebody else sets, too.
import { expect, test } from 'vitest'
import { GOOD, problemsOf } from '../loading.ts'
import { loadPolicies, policyTarget } from './loaded-policies.ts'

const policiesOf = (text: string) => loadPolicies(`${GOOD}mode: apply\npolicies:\n${text}\n`)

test('what somebody else sets is answered as the most specific policy says', () => {
  const policies = policiesOf(`
  - { on_foreign_change: alert }
  - { match: { compute: ep-a }, on_foreign_change: reapply, levers: [delay] }`)
  expect(policies.changesOf(policyTarget('ep-x'))).toMatchObject({ onForeignChange: 'alert', levers: [] })
  expect(policies.changesOf(policyTarget('ep-a'))).toMatchObject({
    onForeignChange: 'reapply',
    levers: ['delay'],
  })
  expect(policies.alertsOfForeignChanges).toBe(true)
  expect(policiesOf('  [{ on_foreign_change: reapply }]').alertsOfForeignChanges).toBe(false)
})

test('two answers for the same computes are a problem, and so is an unknown one', () => {
  const text = 'policies: [{ on_foreign_change: alert }, { on_foreign_change: adopt }]'
  expect(problemsOf(`${GOOD}${text}`)).toEqual([
    'policies[1].on_foreign_change: contradicts policies[0].on_foreign_change, with the same match: expected one of them',
  ])
  expect(problemsOf(`${GOOD}policies: [{ on_foreign_change: fight }]`)).toEqual([
    expect.stringMatching(/^policies\[0\]\.on_foreign_change: .*adopt.*alert.*reapply/),
  ])
})

test('what Terraform manages is changed by no policy, whatever others say', () => {
  const policies = policiesOf(`
  - { mode: apply, levers: [delay, sizing], on_foreign_change: reapply }
  - { match: { compute: ep-a }, managed_by: terraform }
  - { match: { compute: ep-b }, managed_by: terraform, on_foreign_change: alert, mode: observe }`)
  expect(policies.changesOf(policyTarget('ep-x'))).toMatchObject({
    mode: 'apply',
    levers: ['delay', 'sizing'],
  })
  expect(policies.changesOf(policyTarget('ep-a'))).toMatchObject({
    mode: 'suggest',
    levers: [],
    managedBy: 'terraform',
    path: 'policies[1]',
  })
  expect(policies.changesOf(policyTarget('ep-b'))).toMatchObject({ mode: 'observe', levers: [] })
  expect(['ep-x', 'ep-a', 'ep-b'].map((id) => policies.managerOf(policyTarget(id)))).toEqual([
    undefined,
    'terraform',
    'terraform',
  ])
})

const BESIDE = 'beside managed_by: terraform, which lets no policy change a compute'

test.each<[string, readonly string[]]>([
  ['levers: [delay]', [`policies[0].levers: expected none ${BESIDE}`]],
  ['mode: apply', [`policies[0].mode: expected at most suggest ${BESIDE}`]],
  [
    'mode: approve, levers: [sizing]',
    [`policies[0].mode: expected at most suggest ${BESIDE}`, `policies[0].levers: expected none ${BESIDE}`],
  ],
  ['on_foreign_change: reapply', [`policies[0].on_foreign_change: expected adopt or alert ${BESIDE}`]],
  ['mode: suggest, levers: [], on_foreign_change: alert', []],
])('managed_by beside %s', (text, problems) => {
  expect(problemsOf(`${GOOD}policies: [{ managed_by: terraform, ${text} }]`)).toEqual(problems)
})

test('only Terraform is known', () => {
  expect(problemsOf(`${GOOD}policies: [{ managed_by: pulumi }]`)).toEqual([
    expect.stringMatching(/^policies\[0\]\.managed_by: .*terraform/),
  ])
})
