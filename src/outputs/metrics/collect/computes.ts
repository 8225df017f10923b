import type { AccumulatedCache } from '../../../model/ledger/reading-state.ts'
import type { AwakeReason, ComputeView, DisplayedState, ReadingView } from '../../../model/output/snapshot.ts'
import { largestCu, smallestCu } from '../../../model/service/compute.ts'
import type { Seconds } from '../../../model/units.ts'
import { sumOf } from '../../../std/sum.ts'
import { inMoney } from '../../text/compute-fields.ts'
import type { FamilyKey } from '../catalogue.ts'
import { appendLabel, flag, inSeconds, type ComputeLabels, type AddSample } from '../exposition/samples.ts'

/** With a third label where the family has one. */
type AddOfCompute = (key: FamilyKey, value: number | undefined, label?: string) => void

export function putCompute(view: ComputeView, labels: ComputeLabels, put: AddSample): void {
  const add: AddOfCompute = (key, value, label) =>
    put(key, label === undefined ? labels.id : appendLabel(labels, label), value)
  const { compute, owner } = view.identity
  const { branchId, type, regionId, poolerEnabled } = compute
  const facts = [branchId, type, regionId, owner.team, owner.tier, String(poolerEnabled)]
  put('compute_info', [...labels.id, ...facts], 1)
  putFacts(view, add)
  putLedger(view, add)
  putSpend(view, add)
  putReading(view, add)
}

export const DISPLAYED_STATES: readonly DisplayedState[] = ['init', 'active', 'idle', 'unknown']

function putFacts({ identity, state, reading }: ComputeView, add: AddOfCompute) {
  const { compute } = identity
  for (const name of DISPLAYED_STATES) add('compute_state', flag(name === state.shown), name)
  add('compute_state_pending', flag(compute.pendingState !== undefined))
  add('compute_disabled', flag(compute.disabled))
  add('compute_cu_min', smallestCu(compute.sizing))
  add('compute_cu_max', largestCu(compute.sizing))
  if (reading.size) add('compute_cu', reading.size.cu, reading.size.source)
  add('compute_autosuspend_enabled', flag(state.delay !== 'never'))
  add('compute_autosuspend_delay_seconds', state.delay === 'never' ? undefined : state.delay)
  add('compute_created_timestamp_seconds', inSeconds(compute.createdAt))
  add('compute_last_active_timestamp_seconds', inSeconds(compute.lastActive))
  add('compute_started_timestamp_seconds', inSeconds(compute.startedAt))
}

function putLedger({ state, ledger: { counters } }: ComputeView, add: AddOfCompute) {
  add('compute_awake_since_timestamp_seconds', inSeconds(state.awakeSince))
  add('compute_awake_seconds_total', counters.awake / 1000)
  add('compute_idle_tail_seconds_total', counters.idleTail / 1000)
  add('compute_cu_seconds_total', counters.cuTime / 1000)
  add('compute_wakes_total', counters.wakes)
  add('compute_suspends_total', counters.suspends)
  add('compute_restarts_total', counters.restarts)
  add('compute_awake_extension_seconds_total', counters.observerOverhead / 1000)
}

function putSpend({ ledger, identity, state }: ComputeView, add: AddOfCompute) {
  const { currency } = identity
  const { spend, unproductive } = ledger.counters
  const { because } = state.reason
  add('compute_spend_total', inMoney(spend), currency)
  add('compute_spend_rate_per_hour', inMoney(ledger.spendPerHour), currency)
  if (unproductive)
    add('compute_unproductive_spend_total', inMoney(sumOf(Object.values(unproductive), Number)), currency)
  if (BLOCKING.has(because)) add('compute_suspend_blocked', 1, because.replaceAll('-', '_'))
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

function putReading({ state, reading }: ComputeView, add: AddOfCompute) {
  const { cache, connections, presetMismatch } = reading
  if (cache) {
    add('compute_file_cache_hits_total', cache.totalHits)
    add('compute_file_cache_misses_total', cache.totalMisses)
    add('compute_file_cache_writes_total', cache.totalWrites)
  }
  add('compute_file_cache_used_bytes', reading.cacheUsed)
  add('compute_file_cache_size_bytes', reading.cacheLimit)
  add('compute_connections', connections?.active, 'active')
  add('compute_connections', connections?.idle, 'idle')
  add('compute_connections', connections?.idleInTransaction, 'idle_in_transaction')
  add('compute_connections', connections?.other, 'other')
  add('compute_max_connections', reading.maxConnections)
  add('compute_reserved_connections', reading.reservedConnections)
  add('compute_preset_mismatch', flag(presetMismatch?.maxConnections), 'max_connections')
  add('compute_preset_mismatch', flag(presetMismatch?.fileCache), 'file_cache')
  add('current_size_unknown_total', reading.sizeUnknown)
  add('compute_reading_success', flag(reading.succeeded))
  add('compute_reading_timestamp_seconds', inSeconds(reading.at))
  if (isOfNow({ state, reading })) putMoment(reading, add)
}

/** Asleep, and before the first reading since it woke, nothing is known of the moment. */
const isOfNow = ({ state: { shown, awakeSince }, reading: { at } }: Pick<ComputeView, 'state' | 'reading'>) =>
  shown === 'active' && at !== undefined && (awakeSince === undefined || at >= awakeSince)

/** What a start or a suspension ends. */
function putMoment({ cache, workingSet, averageActive, longestTransaction }: ReadingView, add: AddOfCompute) {
  add('compute_file_cache_lifetime_hit_ratio', cache && lifetimeRatio(cache))
  for (const { window, size } of workingSet) add('compute_working_set_bytes', size, spanText(window))
  add('compute_average_active_sessions', averageActive)
  add('compute_longest_transaction_seconds', longestTransaction)
}

/** Undefined before the first page was read. */
const lifetimeRatio = ({ hits, misses }: AccumulatedCache) =>
  hits + misses === 0 ? undefined : hits / (hits + misses)

const spanText = (span: Seconds) => (span < 3600 ? `${span / 60}m` : `${span / 3600}h`)
