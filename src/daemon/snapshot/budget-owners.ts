// The owner of a budget: the configured team, else the team and tier that all its computes share.
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import type { BudgetWithForecast } from '../../model/policy/budget.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Owner } from '../../model/policy/owner.ts'

export type BudgetOwner = Pick<BudgetWithForecast, 'team' | 'tier'>

export type BudgetOwners = {
  readonly add: (entry: ComputeEntry, project: ProjectEntry | undefined, owner: Owner) => void
  /** To be asked after all computes were added. */
  readonly of: (budget: string) => BudgetOwner
}

export function createBudgetOwners(scopes: BudgetScopes | undefined): BudgetOwners {
  const budgets = scopes?.budgets ?? []
  const owners = budgets.map(() => ({ teams: new Set<string>(), tiers: new Set<string>() }))
  return {
    add: (entry, project, { team, tier }) => {
      for (const index of scopes?.of(entry, project).places ?? []) {
        owners[index]?.teams.add(team)
        owners[index]?.tiers.add(tier)
      }
    },
    of: (name) => {
      const index = budgets.findIndex((budget) => budget.name === name)
      return {
        team: budgets[index]?.team ?? onlyOf(owners[index]?.teams),
        tier: onlyOf(owners[index]?.tiers),
      }
    },
  }
}

/** Empty when there are several or none. */
const onlyOf = (texts: ReadonlySet<string> | undefined): string => {
  const [first = '', second] = texts ?? []
  return second === undefined ? first : ''
}
