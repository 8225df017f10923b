// What the status page asks of accounts and configuration.
import type { Config } from '../../../config/load.ts'
import { computeKey } from '../../../model/service/compute.ts'
import type { Paged } from './page-routes.ts'
import type { Lanes } from '../../accounts/account-runners.ts'

export function pagedOf(
  { timezone, mode }: Config,
  { all }: Lanes,
): Pick<Paged, 'accountOf' | 'pricesOf' | 'zone' | 'mode'> {
  const laneOf = (account: string): Lanes['all'][number] | undefined =>
    all.find((lane) => lane.state().ledger.account === account)
  return {
    accountOf: (ref) => laneOf(ref.account)?.state().ledger.computes.get(computeKey(ref)),
    pricesOf: (account) => laneOf(account)?.prices(),
    zone: timezone,
    mode,
  }
}
