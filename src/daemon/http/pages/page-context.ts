// What the status page asks of accounts and configuration.
import type { Config } from '../../../config/load.ts'
import { computeKey } from '../../../model/service/compute.ts'
import type { PageSources } from './page-routes.ts'
import type { AccountRunners } from '../../accounts/account-runners.ts'

export function pageContextOf(
  { timezone, mode }: Config,
  { all }: AccountRunners,
): Pick<PageSources, 'accountOf' | 'pricesOf' | 'zone' | 'mode'> {
  const laneOf = (account: string): AccountRunners['all'][number] | undefined =>
    all.find((lane) => lane.state().ledger.account === account)
  return {
    accountOf: (ref) => laneOf(ref.account)?.state().ledger.computes.get(computeKey(ref)),
    pricesOf: (account) => laneOf(account)?.prices(),
    zone: timezone,
    mode,
  }
}
