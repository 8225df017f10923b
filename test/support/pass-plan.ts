// The plan of a pass by a minimal configuration, without readings inside Postgres.
import { createBudgetScopes } from '../../src/ledger/budgets/account-budgets.ts'
import { createUtc } from '../../src/calendar/zone.ts'
import type { PassPlan } from '../../src/daemon/pass/pass-state.ts'
import type { Budget } from '../../src/model/policy/budget.ts'
import { createOwners } from '../../src/model/policy/owner.ts'
import { seconds } from '../../src/model/units.ts'
import { preset, prices } from './build.ts'
import { POLL } from './poll.ts'

const READINGS = {
  mode: 'off',
  activityLag: seconds(10),
  deadline: seconds(5),
  minInterval: seconds(300),
  maxConcurrent: 16,
} as const

export const passPlan = ({ budgets = [] }: { readonly budgets?: readonly Budget[] } = {}): PassPlan => ({
  prices,
  preset,
  budgets: createBudgetScopes(budgets),
  dayOf: createUtc().dayOf,
  owners: createOwners([]),
  overhead: 0.01,
  sweep: { ...POLL, readings: READINGS },
})
