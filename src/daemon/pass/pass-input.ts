import type { Zone } from '../../calendar/zone.ts'
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { Owners } from '../../model/policy/owner.ts'
import type { Preset } from '../../model/service/sizes.ts'
import type { SweepPlan } from '../../observe/sweep.ts'
import type { PassState } from './pass-state.ts'

/** What a pass goes by, taken from the configuration when it starts. */
export type PassPlan = {
  readonly sweep: SweepPlan
  readonly prices: Prices
  readonly preset: Preset
  readonly budgets: BudgetScopes
  readonly owners: Owners
  /** The days of the account's zone. */
  readonly dayOf: Zone['dayOf']
  /** Share of awake time that readings may add. */
  readonly overhead: number
}

export type PassInput = { readonly before: PassState; readonly plan: PassPlan }
