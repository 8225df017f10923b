// View of a compute for people and metrics, from its ledger entry.
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
  /** Upper bound of the present time. */
  readonly atMost: Instant
  /** How late the service shows activity. */
  readonly activityLag: Seconds
  /** States are outdated: the service was unreachable for too long. */
  readonly stale: boolean
  /** Last completed sweep; undefined before the first since the start. */
  readonly sweptAt?: Instant | undefined
  /** Why the compute cannot be read; undefined where it can. */
  readonly unreadable?: string | undefined
}

export function computeView(entry: ComputeEntry, context: ViewContext): ComputeView {
  const { ref, compute, totals, counters, current, reading } = entry
  const { awake, cuTime } = totalsWithAccrual(entry, context)
  const project = context.project?.project
  const delay = effectiveDelay(compute, project)
  const spend = spendOf(cuTime)
  const state: DisplayedState = context.stale ? 'unknown' : compute.state
  return {
    ref,
    compute,
    ...projectOf(entry, context),
    currency: context.prices.currency,
    gone: entry.deletedAt !== undefined,
    state,
    seenAt: entry.observedAt,
    delay,
    currentCu: sizeNow(entry, context.preset),
    awakeSince: current?.from.likely,
    operations: entry.evidence.operations.filter((operation) => isOperationTracked(operation, context.now)),
    awake,
    cuTime: cuTimeSum(cuTime),
    spend,
    spendRate: spendPerHour(entry, context),
    counters,
    assumed: totals.assumed,
    idleTail: totals.idleTail,
    extension: totals.observerOverhead,
    awakeBy: topAwakeCauses(totals, spend.likely),
    cache: reading.cache,
    hitRatio: reading.cache?.hitRatio,
    ...readingFields(entry, context.preset),
    readingAt: reading.last?.at,
    readingProblem: context.unreadable ?? reading.problem,
    readingSucceeded: reading.attempts === 0 ? undefined : reading.lastSucceeded,
    why: context.stale
      ? { because: 'unknown', since: context.sweptAt ?? entry.observedAt }
      : awakeReason(entry, { delay, ...context }),
  }
}

type ProjectFields = Pick<ComputeView, 'project' | 'owner' | 'projectOwner' | 'checked'>

const projectOf = (
  { ref, compute }: ComputeEntry,
  { project: entryOfProject, owners }: ViewContext,
): ProjectFields => ({
  project: entryOfProject?.project,
  owner: owners.of(selectorTargetOf(ref.account, compute, entryOfProject?.project)),
  projectOwner: entryOfProject ? owners.ofProject(ref.account, entryOfProject.project) : NO_OWNER,
  checked: entryOfProject?.metering?.reconciliation,
})

const NO_CONNECTIONS: ConnectionCounts = { active: 0, idle: 0, idleInTransaction: 0, other: 0 }

type ReadingFields = Pick<
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

function readingFields(entry: ComputeEntry, preset: Preset): ReadingFields {
  const { last, usage } = entry.reading
  const maxConnections = last?.maxConnections ?? preset.maxConnections(entry.compute.sizing)
  return {
    connections: connectionsOf(entry, maxConnections),
    maxConnections,
    reservedConnections: last?.reservedConnections,
    presetMismatch: mismatchOf(entry, preset),
    sizeUnknown: entry.reading.sizeUnknown ?? 0,
    averageActive: usage.last?.averageActive,
    ...(last ? readingParts(last) : NO_READING_PARTS),
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

type ReadingParts = Pick<ReadingFields, 'cacheLimit' | 'cacheUsed' | 'workingSet' | 'longestTransaction'>

const NO_READING_PARTS: ReadingParts = {
  cacheLimit: undefined,
  cacheUsed: undefined,
  workingSet: [],
  longestTransaction: undefined,
}

const readingParts = ({ cacheLimit, cache, workingSet, causes }: Reading): ReadingParts => ({
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
  // Refused for lack of a free connection: clients use all that are not reserved.
  if (atLimit) return { ...NO_CONNECTIONS, other: maxConnections - (last?.reservedConnections ?? 0) }
  return last && !('missing' in last.connections) ? last.connections : undefined
}

/** Current size: 0 when asleep, the fixed size, or in a range the size that the last reading's cache limit gives; undefined without one. */
function sizeNow({ compute, reading, current }: ComputeEntry, preset: Preset): ComputeView['currentCu'] {
  const { sizing } = compute
  if (compute.state !== 'active') return { cu: cu(0), source: 'fixed' in sizing ? 'fixed' : 'observed' }
  if (smallestCu(sizing) === largestCu(sizing)) return { cu: smallestCu(sizing), source: 'fixed' }
  const { last } = reading
  if (!last?.cacheLimit || (current && last.at < current.from.earliest)) return undefined
  const size = currentCu(last.cacheLimit, sizing, preset)
  return size === undefined ? undefined : { cu: size, source: 'estimated' }
}
