// Whose operations a sweep reads, and from when on. Pure.
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
import { forEachYielding, type Cooperative } from '../../std/cooperative.ts'
import { after, earliest, seconds, type Instant, type Seconds } from '../../model/units.ts'

/** How far back operations are read at least where none were read before. Doubled, the first sweep of a busy account asks twice the pages. */
const FIRST_HISTORY = seconds(86_400)
/** Operations may be listed late: each reading goes back that far behind the last one. */
const BEFORE = seconds(0 - ALLOWED_LATENESS)
/** How long after a transition its operations are read again, because some are listed late. Doubled, what came late is known twice as late. */
const READ_AGAIN: readonly Seconds[] = [seconds(120), ALLOWED_LATENESS]
/** How long an operation is waited for in every sweep; one that takes longer is asked about as rarely. Source: service-facts.md, "Operations". */
const LONGEST_OPERATION: Seconds = seconds(300)

/** Known computes or projects of one step. Doubled, the event loop is held up for a millisecond more. */
const COMPUTES = 2000

export type OperationsContext = {
  readonly ledger: Ledger
  readonly looks: readonly Look[]
  /** Projects whose computes were listed whole. */
  readonly listed: readonly Pick<ListedComputes, 'projectId'>[]
  /** How far back the history of a compute is read that is seen for the first time; not, where its record dates its last start, when undefined. */
  readonly history: Seconds | undefined
}

export type OperationCandidates = {
  /** Project id → since when they are to be read: nothing else can date what happened. */
  readonly needed: ReadonlyMap<string, Instant>
  /** Those of them that are seen for the first time: only now do their operations tell of computes that are gone. */
  readonly atFirstSight: ReadonlySet<string>
  /** The same where the records date it: the operations only name it, if the budget has room. */
  readonly welcome: ReadonlyMap<string, Instant>
}

/**
 * Where a look shows what its record cannot date, where an earlier reading of the operations failed, again a while after
 * such a transition, and where some were still running.
 */
export function* findOperationCandidates(
  seen: OperationsContext,
  now: Instant,
): Cooperative<OperationCandidates> {
  const { ledger, looks, history } = seen
  const begin = after(now, seconds(0 - Math.max(history ?? 0, FIRST_HISTORY)))
  const atFirstSight = new Set(unseenProjects(seen))
  yield* forEachYielding(history === undefined ? [] : ledger.projects.values(), COMPUTES, (known) => {
    if (known.listed?.historyWaits && known.goneAt === undefined) atFirstSight.add(known.project.projectId)
  })
  const needed = new Map([...atFirstSight].map((projectId) => [projectId, begin]))
  const welcome = new Map<string, Instant>()
  for (const look of looks) {
    const { projectId, endpointId } = look.compute
    const known = ledger.computes.get(computeKey({ account: ledger.account, projectId, endpointId }))
    if (!known) want(isHistoryNeeded(look, history) ? needed : welcome, projectId, begin)
    else if (isNeeded(known, look, ledger)) want(needed, projectId, sinceLast(known, begin))
    else if (hasChangedSince(known, look)) want(welcome, projectId, after(known.seenAt, BEFORE))
  }
  yield* forEachYielding(ledger.computes.values(), COMPUTES, (known) => {
    if (isLeft(known, history)) return
    if (isDue(known, now)) want(needed, known.ref.projectId, sinceLast(known, begin))
  })
  for (const projectId of needed.keys()) welcome.delete(projectId)
  return { needed, atFirstSight, welcome }
}

/** Also where no look says so: of a project without any computes left, and of one whose first sight was cut short or could not read them. */
function unseenProjects({ ledger, listed, history }: OperationsContext): readonly string[] {
  if (history === undefined) return []
  return listed
    .map(({ projectId }) => projectId)
    .filter((projectId) => ledger.projects.get(projectId)?.listed === undefined)
}

function want(into: Map<string, Instant>, projectId: string, from: Instant): void {
  into.set(projectId, earliest(from, into.get(projectId) ?? from))
}

/** Whose past nobody reads, and whose record dates what goes on: there would be one for each of many thousand. */
const isLeft = ({ operationsReadAt, compute }: ComputeEntry, history: Seconds | undefined): boolean =>
  history === undefined && operationsReadAt === undefined && isDated({ compute })

const isHistoryNeeded = (look: Look, history: Seconds | undefined): boolean =>
  history !== undefined || !isDated(look)

/** Whether the record tells when the compute last started, or that it never did. */
const isDated = ({ compute }: Pick<Look, 'compute'>): boolean =>
  compute.startedAt !== undefined || (compute.state === 'idle' && compute.lastActive === undefined)

const isNeeded = (known: ComputeEntry, look: Look, { projects }: Ledger): boolean =>
  needsOperations(known, look, effectiveDelay(look.compute, projects.get(known.ref.projectId)?.project))

/** Back to the beginning of what did not end: a list goes by when operations began. */
function sinceLast({ operationsReadAt, evidence }: ComputeEntry, begin: Instant): Instant {
  if (operationsReadAt === undefined) return begin
  return evidence.operations
    .filter((operation) => isOperationTracked(operation, operationsReadAt))
    .reduce((from, { createdAt }) => earliest(from, createdAt), after(operationsReadAt, BEFORE))
}

function isDue(known: ComputeEntry, now: Instant): boolean {
  const { transitionAt, operationsReadAt, evidence, goneAt } = known
  if (goneAt !== undefined) return false
  if (awaitsOperations(known)) return true
  const running = evidence.operations.filter((operation) => isOperationTracked(operation, now))
  if (running.some(({ createdAt }) => now - createdAt < LONGEST_OPERATION * 1000)) return true
  if (operationsReadAt === undefined) return false
  if (running.length > 0 && now - operationsReadAt >= LONGEST_OPERATION * 1000) return true
  if (transitionAt === undefined) return false
  return READ_AGAIN.some(
    (span) => now >= after(transitionAt, span) && operationsReadAt < after(transitionAt, span),
  )
}
