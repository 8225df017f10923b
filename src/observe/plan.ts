// What a sweep asks: details only of what moved, is awake, or was not looked at for long.
import { computeKey, type Project } from '../model/compute.ts'
import type { ComputeAccount, Ledger } from '../model/ledger.ts'
import type { Look } from '../model/observation.ts'
import { isOpen } from '../model/operation.ts'
import { awaitsOperations, LATENESS, showsTransition } from '../model/transition.ts'
import { after, earliest, seconds, type Instant, type Seconds } from '../model/units.ts'

export type ListPlan = {
  readonly maxAge: Seconds
  /** The most projects whose computes one sweep lists: a sweep has to end. */
  readonly most: number
}

/**
 * The projects whose computes are to be listed, those never listed first, then by age, and how many have to wait for the
 * next sweep. A project that left the list is among them while a compute of it is thought to be there: its own answer
 * says what became of it.
 */
export function projectsToList(
  ledger: Ledger,
  projects: readonly Project[],
  { maxAge, most, now }: ListPlan & { readonly now: Instant },
): { readonly projectIds: readonly string[]; readonly waiting: number } {
  const living = [...ledger.computes.values()].filter(({ goneAt }) => goneAt === undefined)
  const byProject = Map.groupBy(living, ({ ref }) => ref.projectId)
  const present = new Set(projects.map(({ projectId }) => projectId))
  const listedAt = (projectId: string): number => ledger.listedAt.get(projectId) ?? Number.NEGATIVE_INFINITY
  const moved = projects
    .filter((project) => {
      const known = ledger.projects.get(project.projectId)
      if (!known || hasMoved(known, project)) return true
      if (now - listedAt(project.projectId) >= maxAge * 1000) return true
      return (byProject.get(project.projectId) ?? []).some(isExpectedToChange)
    })
    .map(({ projectId }) => projectId)
  const vanished = [...byProject.keys()].filter((projectId) => !present.has(projectId))
  const due = [...moved, ...vanished].toSorted((a, b) => listedAt(a) - listedAt(b) || (a < b ? -1 : 1))
  return { projectIds: due.slice(0, most), waiting: Math.max(0, due.length - most) }
}

const hasMoved = (before: Project, now: Project): boolean =>
  before.updatedAt !== now.updatedAt ||
  before.cpuUsedSeconds !== now.cpuUsedSeconds ||
  before.computeLastActiveAt !== now.computeLastActiveAt

/** A compute that is awake may have fallen asleep, one in transition has arrived: only idle ones stay as they are by themselves. */
const isExpectedToChange = ({ compute }: ComputeAccount): boolean =>
  compute.state !== 'idle' || compute.pendingState !== undefined

/** How far back the operations of a compute seen for the first time are read. Doubled, the first sweep of a busy account asks twice the pages. */
const FIRST_HISTORY = seconds(-86_400)
/** Operations may be listed late: each reading goes back that far behind the last one. */
const BEFORE = seconds(0 - LATENESS)
/** How long after a transition its operations are read again, because some are listed late. Doubled, what came late is known twice as late. */
const READ_AGAIN: readonly Seconds[] = [seconds(120), LATENESS]
/** How long an operation may take before it is no longer waited for. Source: service-facts.md, "Operations". */
const LONGEST_OPERATION: Seconds = seconds(300)

/**
 * Project id → since when its operations are to be read: where a look shows a transition, where an earlier reading of
 * them failed, again a while after a transition, and where some were still running.
 */
export function operationsToRead(
  ledger: Ledger,
  looks: readonly Look[],
  now: Instant,
): ReadonlyMap<string, Instant> {
  const since = new Map<string, Instant>()
  const want = (projectId: string, from: Instant): void => {
    since.set(projectId, earliest(from, since.get(projectId) ?? from))
  }
  const wantAgain = ({ ref, operationsReadAt }: ComputeAccount): void =>
    want(
      ref.projectId,
      operationsReadAt === undefined ? after(now, FIRST_HISTORY) : after(operationsReadAt, BEFORE),
    )
  for (const look of looks) {
    const { projectId, endpointId } = look.compute
    const known = ledger.computes.get(computeKey({ account: ledger.account, projectId, endpointId }))
    if (!known) want(projectId, after(now, FIRST_HISTORY))
    else if (showsTransition(known, look)) wantAgain(known)
  }
  for (const known of ledger.computes.values()) if (isDue(known, now)) wantAgain(known)
  return since
}

function isDue(known: ComputeAccount, now: Instant): boolean {
  const { transitionAt, operationsReadAt, evidence, goneAt } = known
  if (goneAt !== undefined) return false
  if (awaitsOperations(known)) return true
  const running = evidence.operations.some(
    (operation) => isOpen(operation) && now - operation.createdAt < LONGEST_OPERATION * 1000,
  )
  if (running) return true
  if (transitionAt === undefined || operationsReadAt === undefined) return false
  return READ_AGAIN.some(
    (span) => now >= after(transitionAt, span) && operationsReadAt < after(transitionAt, span),
  )
}
