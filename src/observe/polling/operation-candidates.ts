// Projects whose operations a sweep should read, and since when. Pure.
import { computeKey, effectiveDelay } from '../../model/service/compute.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ListedComputes, Look } from '../../model/observation.ts'
import { isOperationTracked } from '../../model/service/operation.ts'
import {
  awaitsOperations,
  hasChangedSince,
  ALLOWED_LATENESS,
  needsOperations,
} from '../../model/inference/transition.ts'
import { after, earliest, seconds, type Instant, type Seconds } from '../../model/units.ts'

/** Shortest history that is read where no operations were read before, a day: a longer one asks for more pages in the first sweep. */
const FIRST_HISTORY = seconds(86_400)
/** Operations may be listed late: each read goes back so far behind the one before. */
const OVERLAP = seconds(0 - ALLOWED_LATENESS)
/** Time after a transition at which its operations are read again, because some are listed late. */
const READ_AGAIN: readonly Seconds[] = [seconds(120), ALLOWED_LATENESS]
/** Time for which every sweep asks about a running operation; afterwards it asks once in that time. Source: service-facts.md, "Operations". */
const LONGEST_OPERATION: Seconds = seconds(300)

export type OperationsContext = Readonly<{
  ledger: Ledger
  looks: readonly Look[]
  /** Projects whose computes were listed whole. */
  listed: readonly Pick<ListedComputes, 'projectId'>[]
  /** Length of the history that is read of a new compute; undefined: none, where its record dates its last start. */
  history: Seconds | undefined
}>

export type OperationCandidates = Readonly<{
  /** Project id → since when its operations are needed: nothing else dates what happened. */
  needed: ReadonlyMap<string, Instant>
  /** Part of `needed` that is seen for the first time: only now do its operations show deleted computes. */
  atFirstSight: ReadonlySet<string>
  /** Project id → since when its operations are worth reading if requests remain: the records date what happened, operations only name it. */
  welcome: ReadonlyMap<string, Instant>
}>

/**
 * Operations are needed:
 * 1. of projects at first sight;
 * 2. where a look shows a transition that its record cannot date;
 * 3. where an earlier read failed or showed operations that were still running;
 * 4. again a while after a transition, because operations may be listed late.
 */
export function findOperationCandidates(context: OperationsContext, now: Instant): OperationCandidates {
  const { ledger, looks, history } = context
  const firstFrom = after(now, seconds(0 - Math.max(history ?? 0, FIRST_HISTORY)))
  const atFirstSight = new Set(projectsAtFirstSight(context))
  const needed = new Map([...atFirstSight].map((projectId) => [projectId, firstFrom]))
  const welcome = new Map<string, Instant>()
  for (const look of looks) {
    const { projectId, endpointId } = look.compute
    const entry = ledger.computes.get(computeKey({ account: ledger.account, projectId, endpointId }))
    if (!entry) addSince(isHistoryNeeded(look, history) ? needed : welcome, projectId, firstFrom)
    else if (isNeeded(entry, look, ledger)) addSince(needed, projectId, sinceLastRead(entry, firstFrom))
    else if (hasChangedSince(entry, look)) addSince(welcome, projectId, after(entry.observedAt, OVERLAP))
  }
  for (const entry of ledger.computes.values())
    if (isDue(entry, history, now)) addSince(needed, entry.ref.projectId, sinceLastRead(entry, firstFrom))
  for (const projectId of needed.keys()) welcome.delete(projectId)
  return { needed, atFirstSight, welcome }
}

/** Projects listed for the first time, also without computes, then those whose first history could not be read whole. */
function projectsAtFirstSight({ ledger, listed, history }: OperationsContext): string[] {
  if (history === undefined) return []
  const projectIds = listed
    .map(({ projectId }) => projectId)
    .filter((projectId) => ledger.projects.get(projectId)?.listed === undefined)
  for (const entry of ledger.projects.values())
    if (entry.listed?.needsBackfill && entry.deletedAt === undefined) projectIds.push(entry.project.projectId)
  return projectIds
}

function addSince(into: Map<string, Instant>, projectId: string, from: Instant): void {
  into.set(projectId, earliest(from, into.get(projectId) ?? from))
}

/** Whether a compute's operations are never read: the account is too large for histories, and its records date what happens. */
const isLeftUnread = ({ operationsReadAt, compute }: ComputeEntry, history: Seconds | undefined): boolean =>
  history === undefined && operationsReadAt === undefined && isDated({ compute })

const isHistoryNeeded = (look: Look, history: Seconds | undefined): boolean =>
  history !== undefined || !isDated(look)

/** Whether the record shows when the compute last started, or that it never did. */
const isDated = ({ compute }: Pick<Look, 'compute'>): boolean =>
  compute.startedAt !== undefined || (compute.state === 'idle' && compute.lastActive === undefined)

const isNeeded = (entry: ComputeEntry, look: Look, { projects }: Ledger): boolean =>
  needsOperations(entry, look, effectiveDelay(look.compute, projects.get(entry.ref.projectId)?.project))

/** The last read, or the creation of the oldest operation that was running then: lists go by creation. */
function sinceLastRead({ operationsReadAt, evidence }: ComputeEntry, firstFrom: Instant): Instant {
  if (operationsReadAt === undefined) return firstFrom
  return evidence.operations
    .filter((operation) => isOperationTracked(operation, operationsReadAt))
    .reduce((from, { createdAt }) => earliest(from, createdAt), after(operationsReadAt, OVERLAP))
}

function isDue(entry: ComputeEntry, history: Seconds | undefined, now: Instant): boolean {
  const { transitionAt, operationsReadAt, evidence, deletedAt } = entry
  if (deletedAt !== undefined || isLeftUnread(entry, history)) return false
  if (awaitsOperations(entry)) return true
  const running = evidence.operations.filter((operation) => isOperationTracked(operation, now))
  if (running.some(({ createdAt }) => now - createdAt < LONGEST_OPERATION * 1000)) return true
  if (operationsReadAt === undefined) return false
  if (running.length > 0 && now - operationsReadAt >= LONGEST_OPERATION * 1000) return true
  if (transitionAt === undefined) return false
  return READ_AGAIN.some(
    (span) => now >= after(transitionAt, span) && operationsReadAt < after(transitionAt, span),
  )
}
