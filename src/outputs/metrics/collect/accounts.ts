// Counters and state of accounts as samples.
import { MAX_REGIONS } from '../../../model/ledger/counters.ts'
import {
  countUpTo,
  WAKE_LATENCY_BUCKETS,
  type DurationHistogram,
} from '../../../model/ledger/duration-histogram.ts'
import type { Backlog } from '../../../model/observation.ts'
import type { AccountView, Snapshot } from '../../../model/output/snapshot.ts'
import type { Instant } from '../../../model/units.ts'
import { boundText } from '../exposition/format.ts'
import { inSeconds, type AddSample } from '../exposition/samples.ts'
import { putBudget } from './budgets.ts'

export function putAccount(view: AccountView, now: Instant, put: AddSample): void {
  const {
    account,
    lastSweepAt,
    lastRejectedAt,
    listedAt,
    backlog,
    operationsWaitSince,
    activityLag,
    budgets,
  } = view
  for (const budget of budgets) putBudget(budget, put)
  put('sweep_problems', [account], view.problems.length)
  put('activity_lag_seconds', [account], activityLag)
  put('api_last_rejected_timestamp_seconds', [account], inSeconds(lastRejectedAt))
  put('api_last_accepted_timestamp_seconds', [account], inSeconds(lastSweepAt))
  put('project_list_age_seconds', [account], listedAt === undefined ? undefined : (now - listedAt) / 1000)
  put('operations_wait_seconds', [account], (now - (operationsWaitSince ?? now)) / 1000)
  for (const urgency of Object.keys(backlog) as (keyof Backlog)[])
    put('poll_backlog', [account, urgency], backlog[urgency])
}

export function putWakes(accounts: readonly AccountView[], put: AddSample): void {
  for (const initiator of ['dormouse', 'unknown'] as const)
    put(
      'wakes_total',
      [initiator],
      sum(accounts, ({ wakesBy }) => wakesBy[initiator]),
    )
}

/** Every region with a compute or a wake gets a histogram, also at 0: the first increase of a series that starts above 0 is invisible. */
export function putWakeLatency({ accounts, computes }: Snapshot, put: AddSample): void {
  const counters = accounts.flatMap(({ wakeLatency }) => wakeLatency)
  const regions = new Set(counters.map(({ regionId }) => regionId))
  for (const {
    identity: { compute },
  } of computes)
    if (regions.size < MAX_REGIONS) regions.add(compute.regionId)
  for (const region of regions)
    putHistogram(
      counters.filter(({ regionId }) => regionId === region),
      region,
      put,
    )
}

function putHistogram(histograms: readonly DurationHistogram[], region: string, put: AddSample): void {
  const total = (of: (histogram: DurationHistogram) => number): number =>
    histograms.reduce((sum, histogram) => sum + of(histogram), 0)
  for (const bound of WAKE_LATENCY_BUCKETS)
    put(
      'wake_latency_seconds',
      [region, boundText(bound / 1000)],
      total((histogram) => countUpTo(histogram, bound)),
    )
  const count = total((histogram) => histogram.count)
  put('wake_latency_seconds', [region, boundText(Number.POSITIVE_INFINITY)], count)
  put('wake_latency_seconds', [region, 'sum'], total(({ sum }) => sum) / 1000)
  put('wake_latency_seconds', [region, 'count'], count)
}

export function putEndedOperations(accounts: readonly AccountView[], put: AddSample): void {
  const ended = accounts.flatMap(({ operations }) => operations)
  for (const [action, counters] of Map.groupBy(ended, (counter) => counter.action)) {
    put(
      'operation_failures_total',
      [action],
      sum(counters, ({ failures }) => failures),
    )
    for (const [status, same] of Map.groupBy(counters, (counter) => counter.status))
      put(
        'operations_total',
        [action, status],
        sum(same, ({ count }) => count),
      )
  }
}

export function putReadings(accounts: readonly AccountView[], put: AddSample): void {
  for (const result of Object.keys(accounts[0]?.readings ?? {}) as (keyof AccountView['readings'])[])
    put(
      'readings_total',
      [result],
      sum(accounts, ({ readings }) => readings[result]),
    )
  for (const [currency, views] of Map.groupBy(accounts, (view) => view.currency))
    put('observer_spend_total', [currency], sum(views, ({ totals }) => totals.observerSpend) / 1_000_000)
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0)
