import type { ComputeView, Snapshot, AwakeReason } from '../../../model/output/snapshot.ts'
import { UNPRODUCTIVE_CAUSES } from '../../../model/ledger/counters.ts'
import { sumOf } from '../../../std/sum.ts'
import { appendLabel, type ComputeLabels, type AddSample } from '../exposition/samples.ts'

const inMoney = (micros: number) => micros / 1_000_000

export function putSpend({ ledger, identity, state }: ComputeView, labels: ComputeLabels, put: AddSample) {
  const priced = appendLabel(labels, identity.currency)
  const { spend, unproductive } = ledger.counters
  const { because } = state.reason
  put('compute_spend_total', priced, inMoney(spend))
  put('compute_spend_rate_per_hour', priced, inMoney(ledger.spendPerHour))
  if (unproductive)
    put('compute_unproductive_spend_total', priced, inMoney(sumOf(Object.values(unproductive), Number)))
  if (BLOCKING.has(because))
    put('compute_suspend_blocked', appendLabel(labels, because.replaceAll('-', '_')), 1)
}

/** They keep the service from suspending a compute. Source: service-facts.md, "What keeps a compute awake". */
const BLOCKING: ReadonlySet<AwakeReason['because']> = new Set([
  'autosuspend-off',
  'clients',
  'idle-in-transaction',
  'replication',
  'subscription',
  'autovacuum',
])

/** Every cause of every team has a series, also at 0: the first increase of a series that starts above 0 is invisible. */
export function putTeams({ accounts, computes }: Snapshot, put: AddSample): void {
  const owned = [
    ...computes.map(({ identity: { currency, owner } }) => ({ currency, team: owner.team })),
    ...accounts.flatMap(({ currency, teams }) => Object.keys(teams).map((team) => ({ currency, team }))),
  ]
  for (const [currency, same] of Map.groupBy(owned, (owner) => owner.currency)) {
    const views = accounts.filter((account) => account.currency === currency)
    for (const team of new Set(same.map((owner) => owner.team)))
      for (const cause of UNPRODUCTIVE_CAUSES) {
        const spent = sumOf(views, ({ teams }) => teams[team]?.[cause] ?? 0)
        put('unproductive_spend_total', [team, currency, cause], inMoney(spent))
      }
  }
}
