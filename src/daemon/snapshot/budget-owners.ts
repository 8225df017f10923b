// Who answers for a budget: the one it names, else those of its computes, where they agree.
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import type { BudgetWithForecast } from '../../model/policy/budget.ts'
import type { ComputeEntry, ProjectEntry } from '../../model/ledger/ledger.ts'
import type { Owner } from '../../model/policy/owner.ts'

export type BudgetOwner = Pick<BudgetWithForecast, 'team' | 'tier'>

export type BudgetOwners = {
  readonly add: (account: ComputeEntry, project: ProjectEntry | undefined, owner: Owner) => void
  /** Once all computes were added. */
  readonly of: (budget: string) => BudgetOwner
}

export function createBudgetOwners(scopes: BudgetScopes | undefined): BudgetOwners {
  const budgets = scopes?.budgets ?? []
  const found = budgets.map(() => ({ teams: new Set<string>(), tiers: new Set<string>() }))
  return {
    add: (account, project, { team, tier }) => {
      for (const place of scopes?.of(account, project).places ?? []) {
        found[place]?.teams.add(team)
        found[place]?.tiers.add(tier)
      }
    },
    of: (name) => {
      const place = budgets.findIndex((budget) => budget.name === name)
      return {
        team: budgets[place]?.team ?? onlyOf(found[place]?.teams),
        tier: onlyOf(found[place]?.tiers),
      }
    },
  }
}

/** Empty where there are several, or none. */
const onlyOf = (texts: ReadonlySet<string> | undefined): string => {
  const [first = '', second] = texts ?? []
  return second === undefined ? first : ''
}
