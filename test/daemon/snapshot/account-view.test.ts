import { expect, test } from 'vitest'
import { createBudgetScopes } from '../../../src/ledger/budgets/account-budgets.ts'
import { createBudgetOwners, openAccount } from '../../../src/daemon/snapshot/account-view.ts'
import { newPassState } from '../../../src/daemon/pass/pass-state.ts'
import { createOwners, NO_OWNER } from '../../../src/model/policy/owner.ts'
import { budgetOf } from '../../ledger/budgets/build.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, preset, prices, project, sweep } from '../../support/build.ts'

const owner = (team: string, tier: string) => ({ ...NO_OWNER, team, tier })

/** Two computes, each with an owner, and what that makes of a budget. */
function answerable(owners: readonly (readonly [string, string])[], team?: string) {
  const { computes } = accounted(
    ledger(),
    sweep(600, { looks: owners.map((_, index) => look(600, { endpointId: `ep-${index}` })) }),
    { prices, overhead: 0.01, now: at(600) },
  ).ledger
  const open = createBudgetOwners(createBudgetScopes([budgetOf({ team })]))
  for (const [index, account] of [...computes.values()].entries()) {
    const [name = '', tier = ''] = owners[index] ?? []
    open.add(account, undefined, owner(name, tier))
  }
  return open.of('all')
}

test.each([
  [
    'all of its computes',
    answerable([
      ['web', 'prod'],
      ['web', 'prod'],
    ]),
    { team: 'web', tier: 'prod' },
  ],
  [
    'as far as they agree',
    answerable([
      ['web', 'dev'],
      ['web', 'prod'],
    ]),
    { team: 'web', tier: '' },
  ],
  [
    'nobody where one has no owner',
    answerable([
      ['web', 'dev'],
      ['', ''],
    ]),
    { team: '', tier: '' },
  ],
  [
    'the one it names',
    answerable(
      [
        ['web', 'dev'],
        ['shop', 'dev'],
      ],
      'data',
    ),
    { team: 'data', tier: 'dev' },
  ],
  ['nobody without computes', answerable([]), { team: '', tier: '' }],
])('the owner of a budget is that of %s', (_, found, expected) => {
  expect(found).toEqual(expected)
})

test('computes outside of the scope are ignored', () => {
  const { computes } = accounted(
    ledger(),
    sweep(600, { looks: [look(600), look(600, { endpointId: 'ep-two' })] }),
    { prices, overhead: 0.01, now: at(600) },
  ).ledger
  const open = createBudgetOwners(createBudgetScopes([budgetOf({ scope: { compute: ['ep-two'] } })]))
  for (const account of computes.values()) open.add(account, undefined, owner(account.ref.endpointId, ''))
  expect(open.of('all').team).toBe('ep-two')
})

test('projects that were looked at and whose past has not been read are counted', () => {
  const listing = { at: at(0), updatedAt: at(0), cpuUsedSeconds: 0, endpointIds: [] }
  const entries = [
    { listed: listing },
    { listed: { ...listing, needsBackfill: true as const } },
    { listed: { ...listing, needsBackfill: true as const }, deletedAt: at(60) },
    { listed: undefined },
  ].map((entry, index) => ({ ...entry, project: project({ projectId: `p-${index}` }) }))
  const projects = new Map(entries.map((entry) => [entry.project.projectId, entry]))
  const state = newPassState(ledger({ projects }))
  const view = openAccount({ state, prices, preset }, createOwners([])).close()
  expect(view.withoutPast).toBe(1)
})
