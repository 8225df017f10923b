// What a compute's account shows to people and metrics.
import { effectiveDelay, largestCu, smallestCu } from '../model/service/compute.ts'
import type { ComputeEntry } from '../model/ledger/ledger.ts'
import type { ProjectEntry } from '../model/ledger/project-entry.ts'
import type { ConnectionCounts, Reading } from '../model/observation.ts'
import { isOperationTracked } from '../model/service/operation.ts'
import { NO_OWNER, type Owners } from '../model/policy/owner.ts'
import type { Prices } from '../model/ledger/price.ts'
import { selectorTargetOf } from '../model/policy/selector.ts'
import { currentCu, type Preset } from '../model/service/sizes.ts'
import type { ComputeView, DisplayedState } from '../model/output/snapshot.ts'
import { cu, type Instant, type Seconds } from '../model/units.ts'
import { spendPerHour, totalsWithAccrual } from './settle/accrual.ts'
import { topAwakeCauses } from './attribution/attribution.ts'
import { cuTimeSum, spendOf } from './settle/cu-time.ts'
import { awakeReason } from './attribution/awake-reason.ts'

export type ViewContext = {
  readonly project: ProjectEntry | undefined
  readonly owners: Owners
  readonly prices: Prices
  readonly preset: Preset
  readonly now: Instant
  /** The latest that it may be now. */
  readonly atMost: Instant
  /** How late the service shows activity. */
  readonly activityLag: Seconds
  /** The service could not be asked for so long that states are only remembered. */
  readonly stale: boolean
  /** When it could be asked last; undefined where it could not since the start. */
  readonly sweptAt?: Instant | undefined
  /** Why the compute cannot be read; undefined where it can. */
  readonly unreadable?: string | undefined
}

export function computeView(account: ComputeEntry, context: ViewContext): ComputeView {
  const { ref, compute, totals, counters, current, reading } = account
  const { awake, cuTime } = totalsWithAccrual(account, context)
  const project = context.project?.project
  const delay = effectiveDelay(compute, project)
  const spend = spendOf(cuTime)
  const state: DisplayedState = context.stale ? 'unknown' : compute.state
  return {
    ref,
    compute,
    ...projectOf(account, context),
    currency: context.prices.currency,
    gone: account.deletedAt !== undefined,
    state,
    seenAt: account.observedAt,
    delay,
    currentCu: sizeNow(account, context.preset),
    awakeSince: current?.from.likely,
    operations: account.evidence.operations.filter((operation) => isOperationTracked(operation, context.now)),
    awake,
    cuTime: cuTimeSum(cuTime),
    spend,
    spendRate: spendPerHour(account, context),
    counters,
    assumed: totals.assumed,
    idleTail: totals.idleTail,
    extension: totals.observerOverhead,
    awakeBy: topAwakeCauses(totals, spend.likely),
    cache: reading.cache,
    hitRatio: reading.cache?.hitRatio,
    ...insideOf(account, context.preset),
    readingAt: reading.last?.at,
    readingProblem: context.unreadable ?? reading.problem,
    readingSucceeded: reading.attempts === 0 ? undefined : reading.lastSucceeded,
    why: context.stale
      ? { because: 'unknown', since: context.sweptAt ?? account.observedAt }
      : awakeReason(account, { delay, ...context }),
  }
}

type OfProject = Pick<ComputeView, 'project' | 'owner' | 'projectOwner' | 'checked'>

const projectOf = ({ ref, compute }: ComputeEntry, { project: known, owners }: ViewContext): OfProject => ({
  project: known?.project,
  owner: owners.of(selectorTargetOf(ref.account, compute, known?.project)),
  projectOwner: known ? owners.ofProject(ref.account, known.project) : NO_OWNER,
  checked: known?.metering?.reconciliation,
})

const NO_CONNECTIONS: ConnectionCounts = { active: 0, idle: 0, idleInTransaction: 0, other: 0 }

type Inside = Pick<
  ComputeView,
  | 'connections'
  | 'maxConnections'
  | 'reservedConnections'
  | 'cacheLimit'
  | 'cacheUsed'
  | 'presetMismatch'
  | 'sizeUnknown'
  | 'averageActive'
  | 'workingSet'
  | 'longestTransaction'
>

function insideOf(account: ComputeEntry, preset: Preset): Inside {
  const { last, usage } = account.reading
  const maxConnections = last?.maxConnections ?? preset.maxConnections(account.compute.sizing)
  return {
    connections: connectionsOf(account, maxConnections),
    maxConnections,
    reservedConnections: last?.reservedConnections,
    presetMismatch: mismatchOf(account, preset),
    sizeUnknown: account.reading.sizeUnknown ?? 0,
    averageActive: usage.last?.averageActive,
    ...(last ? partsOf(last) : NO_PARTS),
  }
}

function mismatchOf(
  { compute, reading, current }: ComputeEntry,
  preset: Preset,
): ComputeView['presetMismatch'] {
  const { last } = reading
  if (!last || compute.state !== 'active' || (current && last.at < current.from.earliest)) return undefined
  const { sizing } = compute
  const { maxConnections, cacheLimit } = last
  return {
    maxConnections: maxConnections !== undefined && maxConnections !== preset.maxConnections(sizing),
    fileCache: cacheLimit === undefined ? undefined : currentCu(cacheLimit, sizing, preset) === undefined,
  }
}

type Parts = Pick<Inside, 'cacheLimit' | 'cacheUsed' | 'workingSet' | 'longestTransaction'>

const NO_PARTS: Parts = {
  cacheLimit: undefined,
  cacheUsed: undefined,
  workingSet: [],
  longestTransaction: undefined,
}

const partsOf = ({ cacheLimit, cache, workingSet, causes }: Reading): Parts => ({
  cacheLimit,
  cacheUsed: 'missing' in cache ? undefined : cache.used,
  workingSet: 'missing' in workingSet ? [] : workingSet,
  longestTransaction: 'missing' in causes ? undefined : causes.longestTransaction,
})

function connectionsOf(
  { compute, reading }: ComputeEntry,
  maxConnections: number,
): ConnectionCounts | undefined {
  const { last, atLimit } = reading
  if (compute.state !== 'active') return last ? NO_CONNECTIONS : undefined
  // Refused for want of a free connection: all that clients may have are taken.
  if (atLimit) return { ...NO_CONNECTIONS, other: maxConnections - (last?.reservedConnections ?? 0) }
  return last && !('missing' in last.connections) ? last.connections : undefined
}

/** 0 when asleep; a fixed size is itself; in a range what the last reading's cache limit says, else undefined. */
function sizeNow({ compute, reading, current }: ComputeEntry, preset: Preset): ComputeView['currentCu'] {
  const { sizing } = compute
  if (compute.state !== 'active') return { cu: cu(0), source: 'fixed' in sizing ? 'fixed' : 'observed' }
  if (smallestCu(sizing) === largestCu(sizing)) return { cu: smallestCu(sizing), source: 'fixed' }
  const { last } = reading
  if (!last?.cacheLimit || (current && last.at < current.from.earliest)) return undefined
  const size = currentCu(last.cacheLimit, sizing, preset)
  return size === undefined ? undefined : { cu: size, source: 'estimated' }
}
