// What holds or allows the starts of a compute now. The plan of a start may be older than the configuration.
import type { AccountConfig, Config } from '../../config/load.ts'
import type { WarmUpHoldTerms } from '../../decide/warm-up-hold.ts'
import { mayActOn } from '../../ledger/budgets/evaluate.ts'
import type { SelectorTarget } from '../../model/policy/selector.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { ChangeRunner } from '../changes/change-runner.ts'
import type { KillSwitch } from '../changes/kill-switch.ts'
import type { PassState } from '../pass/pass-state.ts'
import { isSteady } from '../pass/service-clock.ts'

type TermSources = Readonly<{
  account: Pick<AccountConfig, 'name'>
  config: Pick<Config, 'windows' | 'changes' | 'policies' | 'budgets'>
  state: Pick<PassState, 'service' | 'clock' | 'budgets'>
  placedHolds: Pick<ChangeRunner['placedHolds'], 'fitting'>
  killSwitch: Pick<KillSwitch, 'isEngaged'>
  clock: Clock
}>

export function warmUpTerms(target: SelectorTarget, sources: TermSources): WarmUpHoldTerms {
  const { config, state, placedHolds, killSwitch, clock } = sources
  const { windows, changes, policies } = config
  const policy = policies.warmUpsOf(target)
  const window = policy?.window
  return {
    isKilled: killSwitch.isEngaged(),
    isKeyRefused: state.service.status === 'unauthorized',
    isAllowed: policy !== undefined,
    freezes: changes.freeze.map((name) => [name, windows.get(name)] as const),
    holds: placedHolds.fitting(target),
    isClockSteady: isSteady(state.clock, clock),
    window: window === undefined ? undefined : [window, windows.get(window)],
    isNearlySpent: isNearlySpent(target, sources),
  }
}

const isNearlySpent = (target: SelectorTarget, { account, config, state }: TermSources): boolean =>
  state.budgets.some(
    ({ name, rungs }) =>
      rungs.includes(80) &&
      config.budgets.some(
        (budget) => budget.account === account.name && budget.name === name && mayActOn(budget, target),
      ),
  )
