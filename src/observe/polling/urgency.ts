// Why a project's computes are worth a look, and how much. Pure.
import { computeKey, isInTransition, largestCu, type Project } from '../../model/service/compute.ts'
import { expectedSuspension } from '../../model/inference/expected-suspension.ts'
import type { ComputeEntry, Ledger, ProjectEntry, ProjectListing } from '../../model/ledger/ledger.ts'
import type { ListProgress, Urgency, PendingRetries } from '../../model/observation.ts'
import { forEachYielding, type Cooperative } from '../../std/cooperative.ts'
import { explainsActivity } from '../../model/inference/unseen-wake.ts'
import { after, seconds, type Instant, type Seconds } from '../../model/units.ts'

/** Computes or projects of one step. Doubled, the event loop is held up for some 2 ms more. */
const MANY = 1000

/** What is known of a fleet before its details are asked. */
export type UrgencyInput = {
  readonly ledger: Ledger
  /** Projects whose record is new or changed, by id: newer than the ledger's. */
  readonly changed: ReadonlyMap<string, Project>
  /** Projects that may have been active unseen → when they were still known to be quiet. */
  readonly restless: ListProgress['restless']
  /** Projects that the list has just lost. */
  readonly lost: readonly string[]
  /** When the list told of a project the last time, by id. */
  readonly readAt: LastListed
  /** How late the list may show activity. */
  readonly listLag: Seconds
  /** Projects whose computes were asked for in vain. */
  readonly tried: PendingRetries['looks']
}

export type LastListed = Pick<ReadonlyMap<string, Instant>, 'get'>

/** Project id → how urgent it is among those of its kind, the larger the more. */
export type UrgencyScores = ReadonlyMap<string, number>

/** A project may have several reasons; one that was asked for in vain has only that. */
export function* scoreByUrgency(
  fleet: UrgencyInput,
  maxAge: Seconds,
  now: Instant,
): Cooperative<Readonly<Record<Urgency, UrgencyScores>>> {
  const wishes: Record<Urgency, Map<string, number>> = {
    'in-flight': new Map(),
    transition: new Map(),
    unseen: new Map(),
    awake: new Map(),
    age: new Map(),
    failing: new Map(),
  }
  const wish: Wishing = (projectId, urgency, score) => {
    const tried = fleet.tried.get(projectId)
    if (tried) wishes.failing.set(projectId, now - tried.at)
    else wishes[urgency].set(projectId, Math.max(score, wishes[urgency].get(projectId) ?? score))
  }
  yield* wishOfComputes(fleet, now, wish)
  yield* wishOfProjects(fleet, { maxAge, now }, wish)
  return wishes
}

export const isNewProject = ({ ledger }: Pick<UrgencyInput, 'ledger'>, projectId: string): boolean =>
  ledger.projects.get(projectId)?.listed === undefined

/** Whether the service knew the project no more, and the list has not told of it since. */
export function isProjectDeleted(
  { changed, readAt }: Pick<UrgencyInput, 'changed' | 'readAt'>,
  { project: { projectId }, goneAt }: ProjectEntry,
): boolean {
  if (goneAt === undefined || changed.has(projectId)) return false
  return (readAt.get(projectId) ?? goneAt) <= goneAt
}

/** How many are there, as far as is known. */
export function* countProjects(fleet: UrgencyInput): Cooperative<number> {
  const { ledger, changed } = fleet
  let count = 0
  yield* forEachYielding(ledger.projects.values(), MANY, (known) => {
    count += isProjectDeleted(fleet, known) ? 0 : 1
  })
  yield* forEachYielding(changed.keys(), MANY, (projectId) => {
    count += ledger.projects.has(projectId) ? 0 : 1
  })
  return count
}

type Wishing = (projectId: string, urgency: Urgency, score: number) => void

function* wishOfComputes(fleet: UrgencyInput, now: Instant, wish: Wishing): Cooperative<void> {
  const { ledger, changed } = fleet
  yield* forEachYielding(ledger.computes.values(), MANY, (account) => {
    const { compute, ref, goneAt } = account
    if (goneAt !== undefined || (compute.state === 'idle' && !isInTransition(compute))) return
    const known = ledger.projects.get(ref.projectId)
    if (isUnread(account, known)) return
    const project = changed.get(ref.projectId) ?? known?.project
    const about = { known, project, toldUntil: toldUntil(fleet, known, project), now }
    const { urgency, score } = urgencyOf(account, about)
    wish(ref.projectId, urgency, score)
  })
}

/** What does not fit now will hardly fit in a minute: it waits for its turn by age. */
const isUnread = ({ ref }: ComputeEntry, known: ProjectEntry | undefined): boolean =>
  known?.listed?.unread?.includes(ref.endpointId) === true

type Surroundings = {
  readonly known: ProjectEntry | undefined
  /** Its newest record. */
  readonly project: Project | undefined
  /** Until when that would tell of activity; undefined where it tells of none that is the compute's for sure. */
  readonly toldUntil: Instant | undefined
}

/** More than any score without it: of what is awake that comes first which may be asleep by now. */
const FIRST = 2 ** 52

function toldUntil(
  { readAt, listLag }: UrgencyInput,
  known: ProjectEntry | undefined,
  project: Project | undefined,
): Instant | undefined {
  if (project?.computeLastActiveAt === undefined || known?.listed?.endpointIds.length !== 1) return undefined
  const at = readAt.get(project.projectId)
  return at && after(at, seconds(0 - listLag))
}

/**
 * The score of a transition of that age: the newest is the most urgent. Where there is not room for all, most are known at once, and a
 * compute that sleeps again while it waits needs one look for two of them.
 */
const waited = (age: number): number => -age

/** A change takes seconds: what shows the same for so long is stuck, and goes on like anything else. Doubled, stuck computes take looks from others for twice as long. */
const PATIENCE = seconds(300)

type Judged = { readonly urgency: Urgency; readonly score: number }

function urgencyOf(account: ComputeEntry, about: Surroundings & { readonly now: Instant }): Judged {
  const { compute, movingSince, seenAt } = account
  const isStuck = (since: Instant): boolean => seenAt >= after(since, PATIENCE)
  const score = (about.now - seenAt) * largestCu(compute.sizing)
  if (isInTransition(compute))
    return { urgency: isStuck(movingSince ?? seenAt) ? 'awake' : 'in-flight', score }
  const due = expectedSuspension(compute, about.project, about.known)
  if (due === undefined || due > about.now || isStuck(due)) return { urgency: 'awake', score }
  if (due <= (about.toldUntil ?? about.now)) return { urgency: 'transition', score: waited(about.now - due) }
  // As long as the list could not tell of newer activity, one with a short delay that is in use looks the same in every sweep.
  return { urgency: 'awake', score: FIRST + score }
}

function* wishOfProjects(
  fleet: UrgencyInput,
  { maxAge, now }: { readonly maxAge: Seconds; readonly now: Instant },
  wish: Wishing,
): Cooperative<void> {
  const { ledger, changed, restless, lost } = fleet
  const wishOf = (project: Project, listed: ProjectEntry['listed']): void => {
    const silent = now - (project.computeLastActiveAt ?? 0)
    const age = listed ? now - listed.at : silent
    const moved = listed ? hasMoved(project, listed) : silent < RECENT
    if (moved) wish(project.projectId, 'transition', waited(age))
    else if (!listed) wish(project.projectId, 'unseen', project.computeLastActiveAt ?? 0)
    // Also where there is another reason: it may have to wait for long.
    if (listed && age >= maxAge * 1000) wish(project.projectId, 'age', age)
  }
  yield* forEachYielding(ledger.projects.values(), MANY, (known) => {
    const { project, listed } = known
    if (!changed.has(project.projectId) && !isProjectDeleted(fleet, known)) wishOf(project, listed)
  })
  yield* forEachYielding(changed.values(), MANY, (project) =>
    wishOf(project, ledger.projects.get(project.projectId)?.listed),
  )
  for (const [projectId, quietAt] of restless) wish(projectId, 'transition', waited(now - (quietAt ?? 0)))
  for (const projectId of lost) wish(projectId, 'transition', RECENT)
}

/** Milliseconds: of projects never looked at, those that may be awake come first. Doubled, more that sleep are among them. */
const RECENT = 900_000

/** Whether the record tells of something that its activity does not. */
function hasMoved(project: Project, listed: ProjectListing): boolean {
  const { computeLastActiveAt: active, updatedAt, cpuUsedSeconds } = project
  if (updatedAt !== listed.updatedAt) return true
  // Where the list shows activity, its CPU counter follows a quarter of an hour later and tells nothing new.
  return active === undefined && cpuUsedSeconds !== listed.cpuUsedSeconds
}

/**
 * Whether the only compute of a project, awake when it was looked at, slept and woke unseen: its record tells of activity after a
 * suspension that the list before left no doubt about.
 *
 * @param toldUntil until when that list told of activity
 */
export function isRewokenUnseen(
  { computeLastActiveAt: active }: Project,
  known: ProjectEntry | undefined,
  { ledger, toldUntil: until }: { readonly ledger: Ledger; readonly toldUntil: Instant | undefined },
): boolean {
  const due = active === undefined ? undefined : onlyEnd(known, ledger)
  return active !== undefined && due !== undefined && until !== undefined && due <= until && active > due
}

/** When the only compute of a project was to be suspended, as the record before told; undefined where it was not awake. */
function onlyEnd(known: ProjectEntry | undefined, { account, computes }: Ledger): Instant | undefined {
  const [endpointId, ...others] = known?.listed?.endpointIds ?? []
  if (known === undefined || endpointId === undefined || others.length > 0) return undefined
  const { projectId } = known.project
  const compute = computes.get(computeKey({ account, projectId, endpointId }))?.compute
  return compute?.state === 'active' ? expectedSuspension(compute, known.project, known) : undefined
}

/** Whether a project's record shows activity that no known awake time of its computes explains. */
export function hasUnexplainedActivity(
  { projectId, computeLastActiveAt: active }: Project,
  known: ProjectEntry | undefined,
  ledger: Ledger,
): boolean {
  if (active === undefined) return false
  const endpointIds = known?.listed?.endpointIds
  // One whose record does not fit may be the one.
  if (!endpointIds || (known?.listed?.unread?.length ?? 0) > 0) return false
  return !endpointIds.some((endpointId) => {
    const account = ledger.computes.get(computeKey({ account: ledger.account, projectId, endpointId }))
    return account !== undefined && explainsActivity(account, active, endpointIds.length)
  })
}
