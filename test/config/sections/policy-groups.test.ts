import { describe, expect, test } from 'vitest'
import { GOOD, problemsOf } from '../loading.ts'
import { loadPolicies, policyTarget } from './loaded-policies.ts'

const HEAD = `${GOOD}policies:\n`
/** Of the first line of the policies. */
const LINE = HEAD.split('\n').length + 1

const policiesOf = (text: string) => loadPolicies(`${HEAD}${text}`)

test('the policy of a compute is named with the line of the group that decided', () => {
  const policies = policiesOf(`
  - match: { compute: ep-a }
    # a comment
    mode: apply
    "levers":
      - delay
  - &shared
    match: { compute: ep-b }
    managed_by: terraform
  - *shared
  - match: { compute: ep-c }
    mode: approve
    levers:
`)
  const linesOf = (endpointId: string) => policies.changesOf(policyTarget(endpointId)).line
  expect(['ep-a', 'ep-b', 'ep-c', 'ep-d'].map(linesOf)).toEqual([LINE + 3, LINE + 7, LINE + 10, undefined])
})

describe('policies with the same match', () => {
  test.each<[what: string, first: string, second: string, problems: readonly string[]]>([
    [
      'and another mode',
      '{ match: { project: [a, b] }, mode: apply }',
      '{ match: { project: [b, a] }, mode: suggest }',
      ['policies[1].mode: contradicts policies[0].mode, with the same match: expected one of them'],
    ],
    [
      'for everything',
      '{ mode: apply, levers: [delay] }',
      '{ match: {}, mode: apply, levers: [sizing], restart: { max_wait: 1d } }',
      ['policies[1].levers: contradicts policies[0].levers, with the same match: expected one of them'],
    ],
    [
      'and restarts at another time',
      '{ match: { type: read_only }, restart: { max_wait: 1d } }',
      '{ match: { type: read_only }, restart: { max_wait: 2d } }',
      ['policies[1].restart: contradicts policies[0].restart, with the same match: expected one of them'],
    ],
    ['and other groups', '{ mode: apply }', '{ levers: [delay] }', []],
    ['that say the same', '{ mode: apply }', '{ mode: apply }', []],
    ['but for the type', '{ mode: apply }', '{ match: { type: read_only }, mode: suggest }', []],
    [
      'but for one pattern',
      '{ match: { compute: [a, b] }, mode: apply }',
      '{ match: { compute: [a] }, mode: suggest }',
      [],
    ],
  ])('%s', (_, first, second, problems) => {
    expect(problemsOf(`${GOOD}policies: [${first}, ${second}]\n`)).toEqual(problems)
  })
})
