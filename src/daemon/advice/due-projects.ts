// Projects whose defaults are judged: those with computes that were deleted lately, and when each is due.
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { AdviceNeeds } from '../../model/policy/advice-policy.ts'
import type { ComputeAdvice } from '../../model/policy/recommendation.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Project } from '../../model/service/compute.ts'
import { DAY, earliest, instant, type Instant } from '../../model/units.ts'
import { inChunks, inTurns } from '../turns.ts'
import { dueAfter, TARGETS_PER_READ, type ScanContext } from './due.ts'

export type DueProjects = Readonly<{
  projectIds: readonly string[]
  /** When the next of the others is due; undefined where there are none. */
  nextAt: Instant | undefined
}>

type ProjectScanContext = Omit<ScanContext, 'needsOf'> &
  Readonly<{ needsOf: (project: Project) => Pick<AdviceNeeds, 'minHistory'> }>

/** Days in which a deleted compute lets the defaults of its project be judged. */
const DELETED_WITHIN = 28

/** @param open ids of projects with open recommendations of their own */
export async function findDueProjects(
  ledger: Ledger,
  open: Iterable<string>,
  context: ProjectScanContext,
): Promise<DueProjects> {
  const { clock, now } = context
  const ids = new Set(open)
  const since = instant(now - DELETED_WITHIN * DAY)
  for await (const { ref } of deletedSince(ledger, since, clock)) ids.add(ref.projectId)
  const times: (readonly [projectId: string, dueAt: Instant | undefined])[] = []
  for await (const some of inTurns(inChunks(ids, TARGETS_PER_READ), clock))
    times.push(...(await dueTimes(ledger, some, context)))
  const later = times.flatMap(([, dueAt]) => (dueAt !== undefined && dueAt > now ? [dueAt] : []))
  return {
    projectIds: times.flatMap(([id, dueAt]) => (dueAt === undefined || dueAt <= now ? [id] : [])),
    nextAt: later.length === 0 ? undefined : earliest(...later),
  }
}

/** Times of existing projects; undefined for projects that were never evaluated. */
async function dueTimes(
  { account, projects }: Ledger,
  projectIds: readonly string[],
  { history, needsOf }: ProjectScanContext,
) {
  const targets = projectIds.map((projectId) => ({ account, projectId }))
  const known = new Map<string, ComputeAdvice>()
  for await (const advice of history.advice(account, { targets })) known.set(advice.ref.projectId, advice)
  return projectIds.flatMap((projectId): readonly (readonly [string, Instant | undefined])[] => {
    const entry = projects.get(projectId)
    if (!entry || entry.deletedAt !== undefined) return []
    return [[projectId, dueAfter(known.get(projectId), needsOf(entry.project))]]
  })
}

type DeletedRow = Pick<ComputeEntry, 'ref'> & Readonly<{ deletedAt: Instant | undefined }>

export type DeletedLife = Pick<ComputeEntry, 'ref'> & Readonly<{ deletedAt: Instant }>

/** Rows that are looked through at a time, some milliseconds of work. */
const ROWS_PER_TURN = 2000

/** Computes that were deleted then or later: their entries, or the rows that replaced them. */
export async function* deletedSince(
  { computes, deleted }: Ledger,
  since: Instant,
  clock: Pick<Clock, 'yield'>,
): AsyncGenerator<DeletedLife> {
  for (const rows of [deleted.values(), computes.values()])
    for await (const chunk of inTurns(inChunks<DeletedRow>(rows, ROWS_PER_TURN), clock))
      for (const { ref, deletedAt } of chunk)
        if (deletedAt !== undefined && deletedAt >= since) yield { ref, deletedAt }
}
