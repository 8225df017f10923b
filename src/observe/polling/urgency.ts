// Reasons to look at a project's computes, and their urgency. Pure.
import {
  computeKey,
  isInTransition,
  isSameSizing,
  largestCu,
  type Project,
} from '../../model/service/compute.ts'
import { expectedSuspension } from '../../model/inference/expected-suspension.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { ListProgress, Urgency, PendingRetries } from '../../model/observation.ts'
import { explainsActivity, hasProjectChanged } from '../../model/inference/unseen-wake.ts'
import { after, seconds, type Instant, type Seconds } from '../../model/units.ts'

export type UrgencyInput = Readonly<{
  ledger: Ledger
  /** New or changed records of projects, by id: newer than the ledger's. */
  changed: ReadonlyMap<string, Project>
  /** Projects with unexplained activity → until when the list excluded it. */
  unexplainedActivity: ListProgress['unexplainedActivity']
  /** Projects that the list has just lost. */
  lost: readonly string[]
  readAt: LastListed
  /** How late the list may show activity. */
  listLag: Seconds
  /** Projects whose last request for computes failed. */
  failed: PendingRetries['looks']
  /** Projects in which a change of Dormouse is under way. */
  changing?: ReadonlySet<string> | undefined
}>

/** Project id → when the page that held it was asked for the last time. */
export type LastListed = Pick<ReadonlyMap<string, Instant>, 'get'>

/** Project id → how urgent it is among those of its kind, the larger the more. */
export type UrgencyScores = ReadonlyMap<string, number>

/** A project may have several reasons; one whose last request failed has only that one. */
export function scoreByUrgency(
  fleet: UrgencyInput,
  maxAge: Seconds,
  now: Instant,
): Readonly<Record<Urgency, UrgencyScores>> {
  const scores: Record<Urgency, Map<string, number>> = {
    'in-flight': new Map(),
    transition: new Map(),
    unseen: new Map(),
    awake: new Map(),
    age: new Map(),
    failing: new Map(),
  }
  const addReason: AddReason = (projectId, urgency, score) => {
    const attempts = fleet.failed.get(projectId)
    if (attempts) scores.failing.set(projectId, now - attempts.at)
    else scores[urgency].set(projectId, Math.max(score, scores[urgency].get(projectId) ?? score))
  }
  // as urgent as the smallest compute that has just been seen in a transition
  for (const projectId of fleet.changing ?? [])
    if (fleet.ledger.projects.has(projectId)) addReason(projectId, 'in-flight', 0)
  scoreComputes(fleet, now, addReason)
  scoreProjects(fleet, { maxAge, now }, addReason)
  return scores
}

export const isNewProject = ({ ledger }: Pick<UrgencyInput, 'ledger'>, projectId: string): boolean =>
  ledger.projects.get(projectId)?.listed === undefined

/** Whether the service answered that the project does not exist, and the list has not held it since. */
export function isProjectDeleted(
  { changed, readAt }: Pick<UrgencyInput, 'changed' | 'readAt'>,
  { project: { projectId }, deletedAt }: ProjectEntry,
): boolean {
  if (deletedAt === undefined || changed.has(projectId)) return false
  return (readAt.get(projectId) ?? deletedAt) <= deletedAt
}

/** Projects of the account, without deleted ones, as far as known. */
export function countProjects(fleet: UrgencyInput): number {
  const { ledger, changed } = fleet
  let count = 0
  for (const entry of ledger.projects.values()) count += isProjectDeleted(fleet, entry) ? 0 : 1
  for (const projectId of changed.keys()) count += ledger.projects.has(projectId) ? 0 : 1
  return count
}

type AddReason = (projectId: string, urgency: Urgency, score: number) => void

function scoreComputes(fleet: UrgencyInput, now: Instant, addReason: AddReason): void {
  const { ledger, changed } = fleet
  for (const entry of ledger.computes.values()) {
    const { compute, ref, deletedAt } = entry
    const isAsleep = compute.state === 'idle' && !isInTransition(compute)
    if (deletedAt !== undefined || isAsleep) continue
    const projectEntry = ledger.projects.get(ref.projectId)
    if (isUnreadable(entry, projectEntry)) continue
    const project = changed.get(ref.projectId) ?? projectEntry?.project
    const listedUntil = activityListedUntil(fleet, projectEntry, project)
    const { urgency, score } = urgencyOf(entry, { projectEntry, project, listedUntil, now })
    addReason(ref.projectId, urgency, score)
  }
}

/** A record that does not fit now will hardly fit in a minute: the project is looked at by age. */
const isUnreadable = ({ ref }: ComputeEntry, projectEntry: ProjectEntry | undefined): boolean =>
  projectEntry?.listed?.unreadable?.includes(ref.endpointId) === true

type UrgencyContext = Readonly<{
  projectEntry: ProjectEntry | undefined
  /** Its newest record. */
  project: Project | undefined
  /** Until when that record would show activity of the compute; undefined where activity may be another compute's. */
  listedUntil: Instant | undefined
  now: Instant
}>

function activityListedUntil(
  { readAt, listLag }: UrgencyInput,
  projectEntry: ProjectEntry | undefined,
  project: Project | undefined,
): Instant | undefined {
  const isOnlyCompute = projectEntry?.listed?.endpointIds.length === 1
  if (project?.computeLastActiveAt === undefined || !isOnlyCompute) return undefined
  const at = readAt.get(project.projectId)
  return at && after(at, seconds(0 - listLag))
}

/** Larger than any score of an awake compute: added for one that may be asleep by now. */
const MAYBE_ASLEEP = 2 ** 52

/**
 * Score of a transition of that age: the newest is the most urgent. Where requests are short most transitions are then seen at once, and a
 * compute that sleeps again while it waits needs one look for two of them.
 */
const transitionScore = (age: number): number => -age

/** A transition takes seconds. A compute that looks the same for so long, 5 min, is stuck and counts as awake. */
const STUCK_AFTER = seconds(300)

/**
 * Urgency of an awake compute:
 * 1. `in-flight`: the service shows a transition in progress, and it is not stuck; a project with a change under way, too;
 * 2. `transition`: its suspension was due, and the list would show newer activity but does not;
 * 3. `awake`: otherwise; first those whose suspension was due while the list could not show newer activity yet.
 */
function urgencyOf(
  { compute, inTransitionSince, observedAt }: ComputeEntry,
  { projectEntry, project, listedUntil, now }: UrgencyContext,
): { readonly urgency: Urgency; readonly score: number } {
  const isStuck = (since: Instant): boolean => observedAt >= after(since, STUCK_AFTER)
  const score = (now - observedAt) * largestCu(compute.sizing)
  if (isInTransition(compute))
    return { urgency: isStuck(inTransitionSince ?? observedAt) ? 'awake' : 'in-flight', score }
  const due = expectedSuspension(compute, project, projectEntry)
  if (due === undefined || due > now || isStuck(due)) return { urgency: 'awake', score }
  if (due <= (listedUntil ?? now)) return { urgency: 'transition', score: transitionScore(now - due) }
  return { urgency: 'awake', score: MAYBE_ASLEEP + score }
}

/** Age, ms, up to which a project that was never looked at counts as possibly awake, 15 min. */
const RECENT = 900_000

function scoreProjects(
  fleet: UrgencyInput,
  { maxAge, now }: { readonly maxAge: Seconds; readonly now: Instant },
  addReason: AddReason,
): void {
  const { ledger, changed, unexplainedActivity, lost } = fleet
  const scoreProject = (project: Project, listed: ProjectEntry['listed']): void => {
    const silent = now - (project.computeLastActiveAt ?? 0)
    const age = listed ? now - listed.at : silent
    const hasMoved = listed ? hasProjectChanged(project, listed) : silent < RECENT
    if (hasMoved) addReason(project.projectId, 'transition', transitionScore(age))
    else if (!listed) addReason(project.projectId, 'unseen', project.computeLastActiveAt ?? 0)
    // Beside another reason, too: that one may have to wait for long.
    if (listed && age >= maxAge * 1000) addReason(project.projectId, 'age', age)
  }
  for (const entry of ledger.projects.values())
    if (!changed.has(entry.project.projectId) && !isProjectDeleted(fleet, entry))
      scoreProject(entry.project, entry.listed)
  for (const project of changed.values())
    scoreProject(project, ledger.projects.get(project.projectId)?.listed)
  for (const [projectId, quietAt] of unexplainedActivity)
    addReason(projectId, 'transition', transitionScore(now - (quietAt ?? 0)))
  for (const projectId of lost) addReason(projectId, 'transition', RECENT)
}

/**
 * Whether the only compute of a project slept and woke unseen since it was looked at: its record shows activity after its expected
 * suspension, and the list before excluded activity until then.
 *
 * @param listedUntil until when the list before would show activity
 */
export function isRewokenUnseen(
  { computeLastActiveAt: active }: Project,
  entry: ProjectEntry | undefined,
  { ledger, listedUntil }: { readonly ledger: Ledger; readonly listedUntil: Instant | undefined },
): boolean {
  if (active === undefined || listedUntil === undefined) return false
  const due = onlySuspension(entry, ledger)
  return due !== undefined && due <= listedUntil && active > due
}

/** Expected suspension of the only compute of a project, by the record before; undefined where it was not awake. */
function onlySuspension(entry: ProjectEntry | undefined, { account, computes }: Ledger): Instant | undefined {
  const [endpointId, ...others] = entry?.listed?.endpointIds ?? []
  if (entry === undefined || endpointId === undefined || others.length > 0) return undefined
  const { projectId } = entry.project
  const compute = computes.get(computeKey({ account, projectId, endpointId }))?.compute
  return compute?.state === 'active' ? expectedSuspension(compute, entry.project, entry) : undefined
}

/** Whether a project's record shows activity that no awake time of its computes explains. */
export function hasUnexplainedActivity(
  { projectId, computeLastActiveAt: active }: Project,
  entry: ProjectEntry | undefined,
  { account, computes }: Ledger,
): boolean {
  if (active === undefined) return false
  const endpointIds = entry?.listed?.endpointIds
  const hasUnreadable = (entry?.listed?.unreadable?.length ?? 0) > 0
  if (!endpointIds || hasUnreadable) return false
  return !endpointIds.some((endpointId) => {
    const computeEntry = computes.get(computeKey({ account, projectId, endpointId }))
    return computeEntry !== undefined && explainsActivity(computeEntry, active, endpointIds.length)
  })
}

/** Whether a project's record tells nothing new. */
export const isSameProject = (one: Project, other: Project): boolean =>
  FIELDS.every((field) => one[field] === other[field]) &&
  isSameDefault(one.defaultSizing, other.defaultSizing)

const isSameDefault = (one: Project['defaultSizing'], other: Project['defaultSizing']): boolean =>
  one && other ? isSameSizing(one, other) : one === other

/** Fields whose change makes a project worth a look or a new record, besides its default size. */
const FIELDS = [
  'computeLastActiveAt',
  'updatedAt',
  'cpuUsedSeconds',
  'name',
  'defaultAutosuspendDelay',
  'pgVersion',
  'regionId',
  'platformId',
] as const satisfies readonly (keyof Project)[]
