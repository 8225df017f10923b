// The calendar month of an account as a budget without a limit.
import { createPeriodLookup } from '../../calendar/period.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Budget } from '../../model/policy/budget.ts'
import { micros } from '../../model/units.ts'

/** No configured budget can have this name. */
const NAME = 'the month'

export const monthBudget = (account: string, zone: Zone, currency: string): Budget => ({
  name: NAME,
  account,
  scope: {},
  exempt: [],
  team: undefined,
  limit: { unit: 'money', amount: micros(Number.MAX_SAFE_INTEGER), currency },
  mode: 'soft',
  per: 'month',
  definition: JSON.stringify([NAME, zone.name]),
  periodAt: createPeriodLookup({ per: 'month', zone, anchor: 1 }),
  wallAt: zone.wallAt,
  countedIn: (from, to) => [{ from, to }],
})

export const isMonthBudget = ({ name }: { readonly name: string }): boolean => name === NAME
