// What computes cost, and what of it nobody got anything for, as samples.
import type { AwakeReason } from '../../../model/ledger/ledger.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { forEachYielding, type Cooperative } from '../../../std/cooperative.ts'
import { UNPRODUCTIVE_CAUSES } from '../../../model/ledger/unproductive.ts'
import { appendLabel, type ComputeLabels, type AddSample } from '../exposition/samples.ts'

const inMoney = (micros: number): number => micros / 1_000_000

export function putSpend(
  { counters, spendRate, currency, why }: ComputeView,
  labels: ComputeLabels,
  put: AddSample,
): void {
  const priced = appendLabel(labels, currency)
  const wasted = counters.unproductive && Object.values(counters.unproductive)
  put('computeSpend', priced, inMoney(counters.spend))
  put('spendRate', priced, inMoney(spendRate))
  put('unproductiveCompute', priced, wasted && inMoney(wasted.reduce((sum, one) => sum + one, 0)))
  if (BLOCKING.has(why.because))
    put('suspendBlocked', appendLabel(labels, why.because.replaceAll('-', '_')), 1)
}

/** What the service waits for before it suspends. Source: service-facts.md, "What keeps a compute awake". */
const BLOCKING: ReadonlySet<AwakeReason['because']> = new Set([
  'autosuspend-off',
  'clients',
  'idle-in-transaction',
  'replication',
  'subscription',
  'autovacuum',
])

/** Computes of one step. Doubled, the event loop is held up for a few milliseconds more. */
const MANY = 1000

/** Every cause of every team there is: a counter that is born above 0 tells of no increase. */
export function* putTeams({ accounts, computes }: Snapshot, put: AddSample): Cooperative<void> {
  const teams = new Map<string, Set<string>>()
  const add = (currency: string, team: string): void => {
    const known = teams.get(currency)
    if (known) known.add(team)
    else teams.set(currency, new Set([team]))
  }
  yield* forEachYielding(computes, MANY, ({ currency, owner }) => add(currency, owner.team))
  for (const account of accounts) for (const team of Object.keys(account.teams)) add(account.currency, team)
  for (const [currency, names] of teams)
    for (const team of names)
      for (const cause of UNPRODUCTIVE_CAUSES) {
        const spent = accounts
          .filter((one) => one.currency === currency)
          .reduce((sum, one) => sum + (one.teams[team]?.[cause] ?? 0), 0)
        put('unproductive', [team, currency, cause], inMoney(spent))
      }
}
