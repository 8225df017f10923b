// Plan of the passes of one account and its forecaster, as configured now.
import type { AccountConfig, Config } from '../../config/load.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { DaemonEnvironment } from '../environment.ts'
import { createForecaster, type Forecaster } from '../history/forecasts.ts'
import type { PassPlan } from '../pass/pass-state.ts'
import { passPlanOf } from './ports.ts'

type LivePlanEnvironment = Pick<DaemonEnvironment, 'clock' | 'log'> & Readonly<{ store: Ports['history'] }>

/** The account as configured now; one that is gone from the configuration stays as it was. */
export const accountIn = ({ accounts }: Config, first: AccountConfig) =>
  accounts.find(({ name }) => name === first.name) ?? first

type PlanAndForecaster = Readonly<{ plan: PassPlan; forecaster: Forecaster }>

/** The plan stays the same while owners, budgets and prices do. */
export function createLivePlan(
  first: AccountConfig,
  current: () => Config,
  environment: LivePlanEnvironment,
) {
  const forecasterOf = ({ budgets: scopes, prices }: PassPlan) =>
    createForecaster({ ...environment, history: environment.store, scopes, prices, zone: config.timezone })
  const replaced = new Set<Promise<unknown>>()
  let config = current()
  let plan = passPlanOf(accountIn(config, first), config)
  let forecaster = forecasterOf(plan)
  return {
    current: (): PlanAndForecaster => {
      const next = current()
      const account = accountIn(next, first)
      const hasNewAmounts = next.budgets !== config.budgets || account.prices !== plan.prices
      if (next.owners !== config.owners || hasNewAmounts) {
        config = next
        plan = passPlanOf(account, config)
      }
      if (hasNewAmounts) {
        const idle = forecaster.idle().finally(() => replaced.delete(idle))
        replaced.add(idle)
        forecaster = forecasterOf(plan)
      }
      return { plan, forecaster }
    },
    /** Includes replaced forecasters. */
    idle: () => Promise.all([forecaster.idle(), ...replaced]),
  }
}
