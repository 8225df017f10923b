import { describe, expect, test } from 'vitest'
import { compute, project } from '../../support/build.ts'
import { NO_OWNER } from '../../../src/model/policy/owner.ts'
import { selectorTargetOf } from '../../../src/model/policy/selector.ts'
import { GOOD, load, problemsOf } from '../loading.ts'

function ownersOf(text: string) {
  const config = load(`${GOOD}owners:\n${text}\n`)
  if (!config.ok) throw new Error(config.error.join('\n'))
  return config.value.owners
}

const target = (endpointId: string, branchId = 'br-main-1') =>
  selectorTargetOf(
    'main',
    compute({ endpointId, branchId, projectId: 'p-1' }),
    project({ projectId: 'p-1', name: 'shop' }),
  )

describe('the owner of a compute', () => {
  test('is who the most specific entry names, then the first of them', () => {
    const owners = ownersOf(`
  - { match: { project: "*" }, team: everybody }
  - { match: { project: "sh*" }, team: sales, tier: prod, channel: "#sales", cost_centre: "4711" }
  - { match: { project: "shop*" }, team: shop }
  - { match: { project: "shop*" }, team: shop-again }
  - { match: { branch: "br-preview-*" }, team: previews }
  - { match: { compute: [ep-z, "ep-a*"] }, team: analysts }
  - { match: { compute: ep-ab }, team: exact }`)
    const teams = [
      owners.of(target('ep-x')).team,
      owners.of(target('ep-x', 'br-preview-7')).team,
      owners.of(target('ep-ax', 'br-preview-7')).team,
      owners.of(target('ep-ab')).team,
      owners.of(target('ep-z')).team,
    ]
    expect(teams).toEqual(['shop', 'previews', 'analysts', 'exact', 'analysts'])
  })

  test('has what the entry says and nothing of another entry', () => {
    const owners = ownersOf(`
  - { match: { project: "sh*" }, team: sales, tier: prod, channel: "#sales", cost_centre: "4711" }
  - { match: { compute: ep-x }, team: web }`)
    expect(owners.of(target('ep-y'))).toEqual({
      team: 'sales',
      tier: 'prod',
      channel: '#sales',
      costCentre: '4711',
    })
    expect(owners.of(target('ep-x'))).toEqual({ ...NO_OWNER, team: 'web' })
  })

  test('is nobody where nothing fits', () => {
    expect(ownersOf('  - { match: { project: other }, team: web }').of(target('ep-x'))).toEqual(NO_OWNER)
    expect(ownersOf('  []').of(target('ep-x'))).toEqual(NO_OWNER)
  })
})

test('a project as a whole is not owned by who owns one branch or compute of it', () => {
  const owners = ownersOf(`
  - { match: { project: shop, branch: br-preview-1 }, team: previews }
  - { match: { project: shop, compute: ep-x }, team: one }
  - { match: { project: shop, compute: "*" }, team: shop }
  - { team: everybody }`)
  expect(owners.ofProject('main', project({ projectId: 'p-1', name: 'shop' })).team).toBe('shop')
  expect(owners.ofProject('main', project({ projectId: 'p-2', name: 'blog' })).team).toBe('everybody')
})

test.each([
  ['without a team', '- { match: { project: a } }', 'owners[0].team: '],
  [
    'with an unknown key',
    '- { team: a, costcentre: b }',
    'owners[0].costcentre: unknown key, did you mean cost_centre?',
  ],
  ['with markup for a team', '- { team: "<b>" }', 'owners[0].team: expected 1 to 60 letters, digits'],
  [
    'with names of branches',
    '- { team: a, match: { branch: main } }',
    'owners[0].match.branch: expected ids of branches',
  ],
  ['that is no list', '{ team: a }', 'owners: expected a list of owners'],
])('an entry %s is refused', (_, text, problem) => {
  const problems = problemsOf(`${GOOD}owners:\n  ${text}\n`)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(problem)
})
