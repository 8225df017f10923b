// Policies that start computes ahead of clients.
import { expect, test } from 'vitest'
import { GOOD, problemsOf } from '../loading.ts'
import { loadPolicies, policyTarget } from './loaded-policies.ts'

const policiesOf = (mode: string, text: string) =>
  loadPolicies(`${GOOD}mode: ${mode}\nwindows: { office: "Mon-Fri 08:00-19:00" }\npolicies:\n${text}\n`)

test('computes are started ahead of clients where the mode is apply and the lever is given, in the window of the most specific policy', () => {
  const policies = policiesOf(
    'suggest',
    `
  - { mode: apply, levers: [warm] }
  - { match: { compute: ep-a }, warm: { in: office } }
  - { match: { compute: ep-b }, levers: [delay] }
  - { match: { compute: ep-c }, mode: suggest }
  - { match: { compute: ep-d }, managed_by: terraform }`,
  )
  expect(policies.warmsUp).toBe(true)
  expect(policies.warmUpsOf(policyTarget('ep-x'))).toMatchObject({ window: undefined, path: 'policies[0]' })
  expect(policies.warmUpsOf(policyTarget('ep-a'))).toMatchObject({ window: 'office', path: 'policies[0]' })
  expect(['ep-b', 'ep-c', 'ep-d'].map((id) => policies.warmUpsOf(policyTarget(id)))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test.each([
  ['apply', '  [{ levers: [warm] }]', [true, false]],
  ['apply', '  [{ levers: [warm, delay] }]', [true, true]],
  ['approve', '  [{ levers: [warm] }]', [false, false]],
  ['observe', '  [{ levers: [warm], mode: apply }]', [false, false]],
])(
  'mode %s with %s: whether computes are started, and whether settings are changed',
  (mode, text, expected) => {
    const { warmsUp, decidesChanges } = policiesOf(mode, text)
    expect([warmsUp, decidesChanges]).toEqual(expected)
  },
)

test.each([
  ['{ warm: { in: offce } }', 'policies[0].warm.in: unknown window offce, did you mean office?'],
  [
    '{ levers: [warm], mode: approve }',
    'policies[0].levers: expected none of warm beside mode: approve, which starts no compute by itself',
  ],
  ['{ warm: true }', expect.stringMatching(/^policies\[0\]\.warm: expected/)],
  ['{ levers: [hot] }', expect.stringMatching(/^policies\[0\]\.levers.*delay, sizing, defaults, warm/)],
])('%s is refused', (policy, problem) => {
  const text = `${GOOD}windows: { office: "Mon-Fri 08:00-19:00" }\npolicies: [${policy}]`
  expect(problemsOf(text)).toEqual([problem])
})
