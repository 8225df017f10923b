// What the status page asks of accounts and configuration.
import type { Config } from '../config/load.ts'
import { computeKey } from '../model/compute.ts'
import type { Paged } from './api/page-routes.ts'
import type { Lanes } from './lanes.ts'

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
