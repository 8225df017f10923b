// Spend of computes, and the unproductive part of it, as samples.
import type { AwakeReason } from '../../../model/output/awake-reason.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { UNPRODUCTIVE_CAUSES } from '../../../model/ledger/unproductive.ts'
import { appendLabel, type ComputeLabels, type AddSample } from '../exposition/samples.ts'

const inMoney = (micros: number): number => micros / 1_000_000

export function putSpend(
  {
    ledger: { counters, spendPerHour: spendRate },
    identity: { currency },
    state: { reason: why },
  }: ComputeView,
  labels: ComputeLabels,
  put: AddSample,
): void {
  const priced = appendLabel(labels, currency)
  const { unproductive } = counters
  put('compute_spend_total', priced, inMoney(counters.spend))
  put('compute_spend_rate_per_hour', priced, inMoney(spendRate))
  put(
    'compute_unproductive_spend_total',
    priced,
    unproductive && inMoney(Object.values(unproductive).reduce((sum, spend) => sum + spend, 0)),
  )
  if (BLOCKING.has(why.because))
    put('compute_suspend_blocked', appendLabel(labels, why.because.replaceAll('-', '_')), 1)
}

/** Reasons that keep the service from suspending a compute. Source: service-facts.md, "What keeps a compute awake". */
const BLOCKING: ReadonlySet<AwakeReason['because']> = new Set([
  'autosuspend-off',
  'clients',
  'idle-in-transaction',
  'replication',
  'subscription',
  'autovacuum',
])

/** Every cause of every team gets a series, also at 0: the first increase of a series that starts above 0 is invisible. */
export function putTeams({ accounts, computes }: Snapshot, put: AddSample): void {
  const teams = new Map<string, Set<string>>()
  const addTeam = (currency: string, team: string): void => {
    const names = teams.get(currency)
    if (names) names.add(team)
    else teams.set(currency, new Set([team]))
  }
  for (const {
    identity: { currency, owner },
  } of computes)
    addTeam(currency, owner.team)
  for (const account of accounts)
    for (const team of Object.keys(account.teams)) addTeam(account.currency, team)
  for (const [currency, names] of teams)
    for (const team of names)
      for (const cause of UNPRODUCTIVE_CAUSES) {
        const spent = accounts
          .filter((account) => account.currency === currency)
          .reduce((sum, account) => sum + (account.teams[team]?.[cause] ?? 0), 0)
        put('unproductive_spend_total', [team, currency, cause], inMoney(spent))
      }
}
