import {
  MAX_REGIONS,
  countUpTo,
  UNPRODUCTIVE_CAUSES,
  WAKE_LATENCY_BUCKETS,
} from '../../../model/ledger/counters.ts'
import type { Backlog } from '../../../model/observation.ts'
import type { AccountView, Snapshot } from '../../../model/output/snapshot.ts'
import { addSaved, NOTHING_SAVED } from '../../../model/policy/saved.ts'
import type { Instant } from '../../../model/units.ts'
import { sumOf } from '../../../std/sum.ts'
import { inMoney } from '../../text/compute-fields.ts'
import { boundText } from '../exposition/format.ts'
import { inSeconds, type AddSample } from '../exposition/samples.ts'
import { putBudget } from './budgets.ts'

export function putAccount(view: AccountView, now: Instant, put: AddSample): void {
  const { account, listedAt, backlog, operationsWaitSince = now } = view
  for (const budget of view.budgets) putBudget(budget, put)
  put('sweep_problems', [account], view.problems.length)
  put('activity_lag_seconds', [account], view.activityLag)
  put('api_last_rejected_timestamp_seconds', [account], inSeconds(view.lastRejectedAt))
  put('api_last_accepted_timestamp_seconds', [account], inSeconds(view.lastSweepAt))
  if (listedAt !== undefined) put('project_list_age_seconds', [account], (now - listedAt) / 1000)
  put('operations_wait_seconds', [account], (now - operationsWaitSince) / 1000)
  for (const urgency of Object.keys(backlog) as (keyof Backlog)[])
    put('poll_backlog', [account, urgency], backlog[urgency])
}

export function putWakes(accounts: readonly AccountView[], put: AddSample): void {
  for (const initiator of ['dormouse', 'change', 'warm-up', 'unknown'] as const) {
    const wakes = sumOf(accounts, ({ wakesBy }) => wakesBy[initiator] ?? 0)
    put('wakes_total', [initiator], wakes)
  }
}

/** Every region with a compute or a wake has a histogram, also at 0: the first increase of a series that starts above 0 is invisible. */
export function putWakeLatency({ accounts, computes }: Snapshot, put: AddSample): void {
  const counters = accounts.flatMap(({ wakeLatency }) => wakeLatency)
  const regions = new Set(counters.map(({ regionId }) => regionId))
  for (const { identity } of computes) if (regions.size < MAX_REGIONS) regions.add(identity.compute.regionId)
  for (const region of regions) {
    const histograms = counters.filter(({ regionId }) => regionId === region)
    const putLine = (line: string, value: number) => put('wake_latency_seconds', [region, line], value)
    for (const bound of WAKE_LATENCY_BUCKETS) {
      const within = sumOf(histograms, (histogram) => countUpTo(histogram, bound))
      putLine(boundText(bound / 1000), within)
    }
    const count = sumOf(histograms, (histogram) => histogram.count)
    putLine(boundText(Number.POSITIVE_INFINITY), count)
    putLine('sum', sumOf(histograms, ({ sum }) => sum) / 1000)
    putLine('count', count)
  }
}

export function putEndedOperations(accounts: readonly AccountView[], put: AddSample): void {
  const ended = accounts.flatMap(({ operations }) => operations)
  for (const [action, counters] of Map.groupBy(ended, (counter) => counter.action)) {
    const failures = sumOf(counters, (counter) => counter.failures)
    put('operation_failures_total', [action], failures)
    for (const [status, same] of Map.groupBy(counters, (counter) => counter.status)) {
      const count = sumOf(same, (counter) => counter.count)
      put('operations_total', [action, status], count)
    }
  }
}

export function putReadings(accounts: readonly AccountView[], put: AddSample): void {
  for (const result of Object.keys(accounts[0]?.readings ?? {}) as (keyof AccountView['readings'])[]) {
    const count = sumOf(accounts, ({ readings }) => readings[result])
    put('readings_total', [result], count)
  }
  for (const [currency, views] of Map.groupBy(accounts, (view) => view.currency)) {
    const spend = sumOf(views, ({ totals }) => totals.observerSpend)
    put('observer_spend_total', [currency], spend / 1_000_000)
  }
}

/** Every cause of every team has a series, also at 0: the first increase of a series that starts above 0 is invisible. */
export function putTeams({ accounts, computes }: Snapshot, put: AddSample): void {
  const owned = [
    ...computes.map(({ identity: { currency, owner } }) => ({ currency, team: owner.team })),
    ...accounts.flatMap(({ currency, teams, saved = new Map() }) =>
      [...Object.keys(teams), ...saved.keys()].map((team: string) => ({ currency, team })),
    ),
  ]
  for (const [currency, same] of Map.groupBy(owned, (owner) => owner.currency)) {
    const views = accounts.filter((account) => account.currency === currency)
    for (const team of new Set(same.map((owner) => owner.team))) {
      putTeamSaved(views, { team, currency }, put)
      for (const cause of UNPRODUCTIVE_CAUSES) {
        const spent = sumOf(views, ({ teams }) => teams[team]?.[cause] ?? 0)
        put('unproductive_spend_total', [team, currency, cause], spent / 1_000_000)
      }
    }
  }
}

/** None where nobody asks for changes. */
function putTeamSaved(
  accounts: readonly AccountView[],
  { team, currency }: Readonly<{ team: string; currency: string }>,
  put: AddSample,
) {
  const views = accounts.flatMap(({ saved }) => saved ?? [])
  if (views.length === 0) return
  const sum = views.map((teams) => teams.get(team) ?? NOTHING_SAVED).reduce(addSaved, NOTHING_SAVED)
  put('saved_total', [team, currency], inMoney(sum.saved))
  put('extra_spend_total', [team, currency], inMoney(sum.extra))
}
