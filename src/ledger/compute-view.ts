// View of a compute for people and metrics, from its ledger entry.
import {
  HOST_NOT_ALLOWED,
  isHostAllowed,
  isHostName,
  type AllowedHosts,
} from '../model/service/allowed-hosts.ts'
import { computeKey, effectiveDelay, isFixed, smallestCu } from '../model/service/compute.ts'
import type { CountedPast } from '../model/ledger/counted-past.ts'
import type { ComputeEntry } from '../model/ledger/ledger.ts'
import type { ProjectEntry } from '../model/ledger/project-entry.ts'
import { ifRead, type ConnectionCounts, type Reading } from '../model/observation.ts'
import { isOperationTracked } from '../model/service/operation.ts'
import { NO_OWNER, type Owners } from '../model/policy/owner.ts'
import type { Prices } from '../model/ledger/quantities.ts'
import { selectorTargetOf } from '../model/policy/selector.ts'
import { currentCu, type Preset } from '../model/service/sizes.ts'
import type {
  IdentityView,
  LedgerView,
  ReadingView,
  StateView,
  ComputeView,
  PresetMismatch,
} from '../model/output/snapshot.ts'
import { cu, type Instant, type Seconds } from '../model/units.ts'
import { spendPerHour, totalsWithAccrual } from './settle/accrual.ts'
import { topAwakeCauses } from './attribution/attribution.ts'
import { cuTimeSum, spendOf } from './settle/cu-time.ts'
import { shownAmount } from './metering/shown-amount.ts'
import { awakeReason, currentReading } from './attribution/awake-reason.ts'

type ViewContext = Readonly<{
  project: ProjectEntry | undefined
  owners: Owners
  prices: Prices
  preset: Preset
  now: Instant
  /** Upper bound of the present time. */
  atMost: Instant
  activityLag: Seconds
  /** The service did not answer the last sweep, or what it answered could not be stored. */
  isUnobserved: boolean
  /** States are outdated: the service was unreachable, or the store failed, for too long. */
  stale: boolean
  /** Last sweep that is in the ledger; undefined before the first since the start. */
  sweptAt?: Instant | undefined
  /** Why the compute cannot be read; undefined where it can. */
  unreadable?: string | undefined
  /** Default: all names. */
  hosts?: AllowedHosts | undefined
  /** Usage before the first look, as the service counted it. */
  past?: CountedPast | undefined
}>

export function computeView(entry: ComputeEntry, context: ViewContext): ComputeView {
  const identity = identityOf(entry, context)
  const unreadable = context.unreadable ?? (identity.isHostAllowed ? undefined : HOST_NOT_ALLOWED)
  return {
    identity,
    state: stateOf(entry, context),
    ledger: ledgerOf(entry, context),
    reading: readingOf(entry, { ...context, unreadable }),
  }
}

const identityOf = (
  { ref, compute }: ComputeEntry,
  { project: entry, owners, prices, hosts }: ViewContext,
): IdentityView => ({
  ref,
  compute,
  isHostAllowed: hosts ? isHostAllowed(compute.host, hosts) : isHostName(compute.host),
  project: entry?.project,
  owner: owners.of(selectorTargetOf(ref.account, compute, entry?.project)),
  projectOwner: entry ? owners.ofProject(ref.account, entry.project) : NO_OWNER,
  currency: prices.currency,
})

function stateOf(entry: ComputeEntry, context: ViewContext): StateView {
  const delay = effectiveDelay(entry.compute, context.project?.project)
  return {
    shown: context.stale ? 'unknown' : entry.compute.state,
    isDeleted: entry.deletedAt !== undefined,
    observedAt: entry.observedAt,
    delay,
    awakeSince: entry.current?.from.likely,
    operations: entry.evidence.operations.filter((operation) => isOperationTracked(operation, context.now)),
    reason: context.stale
      ? { because: 'unknown', since: context.sweptAt ?? entry.observedAt }
      : awakeReason(entry, { delay, ...context }),
  }
}

function ledgerOf(entry: ComputeEntry, context: ViewContext): LedgerView {
  const { totals, counters } = entry
  const { assumed, idleTail, observerOverhead } = totals
  const { awake, cuTime } = totalsWithAccrual(entry, context)
  const spend = spendOf(cuTime)
  const own = context.past?.computes.get(computeKey(entry.ref))
  return {
    awake,
    cuTime: cuTimeSum(cuTime),
    spend,
    ...(context.past && own && { shown: shownAmount(spend, { past: context.past, computes: [own] }) }),
    spendPerHour: spendPerHour(entry, context),
    assumed,
    idleTail,
    observerOverhead,
    awakeBy: topAwakeCauses(totals, spend.likely),
    counters,
    reconciliation: context.project?.metering?.reconciliation,
  }
}

const NO_CONNECTIONS: ConnectionCounts = { active: 0, idle: 0, idleInTransaction: 0, other: 0 }

function readingOf(entry: ComputeEntry, { preset, unreadable }: ViewContext): ReadingView {
  const { reading, compute } = entry
  const { last, usage, cache } = reading
  const maxConnections = last?.maxConnections ?? preset.maxConnections(compute.sizing)
  return {
    at: last?.at,
    problem: unreadable ?? reading.problem,
    succeeded: reading.attempts === 0 ? undefined : reading.lastSucceeded,
    size: sizeNow(entry, preset),
    cache,
    hitRatio: cache?.hitRatio,
    connections: connectionsOf(entry, maxConnections),
    maxConnections,
    presetMismatch: mismatchOf(entry, preset),
    sizeUnknown: reading.sizeUnknown ?? 0,
    averageActive: usage.last?.averageActive,
    ...partsOfReading(last),
  }
}

const partsOfReading = (last: Reading | undefined) => ({
  reservedConnections: last?.reservedConnections,
  cacheLimit: last?.cacheLimit,
  cacheUsed: ifRead(last?.cache)?.used,
  workingSet: ifRead(last?.workingSet) ?? [],
  longestTransaction: ifRead(last?.causes)?.longestTransaction,
})

function mismatchOf(entry: ComputeEntry, preset: Preset): PresetMismatch | undefined {
  const last = currentReading(entry)
  const { state, sizing } = entry.compute
  if (!last || state !== 'active') return undefined
  const { maxConnections, cacheLimit } = last
  return {
    maxConnections: maxConnections !== undefined && maxConnections !== preset.maxConnections(sizing),
    fileCache: cacheLimit === undefined ? undefined : currentCu(cacheLimit, sizing, preset) === undefined,
  }
}

function connectionsOf({ compute, reading }: ComputeEntry, maxConnections: number) {
  const { last, atLimit } = reading
  if (compute.state !== 'active') return last ? NO_CONNECTIONS : undefined
  // Refused for lack of a free connection: clients use all that are not reserved.
  if (atLimit) return { ...NO_CONNECTIONS, other: maxConnections - (last?.reservedConnections ?? 0) }
  return ifRead(last?.connections)
}

/** 0 when asleep; in a range the size that the last reading's cache limit gives, undefined without one. */
function sizeNow(entry: ComputeEntry, preset: Preset): ReadingView['size'] {
  const { state, sizing } = entry.compute
  if (state !== 'active') return { cu: cu(0), source: 'fixed' in sizing ? 'fixed' : 'observed' }
  if (isFixed(sizing)) return { cu: smallestCu(sizing), source: 'fixed' }
  const limit = currentReading(entry)?.cacheLimit
  const size = limit ? currentCu(limit, sizing, preset) : undefined
  return size && { cu: size, source: 'estimated' }
}
