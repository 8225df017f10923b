// Which projects' computes to look at, the most urgent first. Pure.
import { computeKey, largestCu, type Compute, type Project } from '../model/compute.ts'
import { expectedEnd } from '../model/expected-end.ts'
import type { ComputeAccount, Ledger, ProjectAccount, ProjectListing } from '../model/ledger.ts'
import type { Backlog, ListProgress, Urgency } from '../model/observation.ts'
import type { Instant, Seconds } from '../model/units.ts'
import { largest } from '../model/largest.ts'
import type { Looks } from './plan.ts'

/** What is known of a fleet before its details are asked. */
export type Fleet = {
  readonly ledger: Ledger
  /** Projects whose record is new or changed, by id: newer than the ledger's. */
  readonly changed: ReadonlyMap<string, Project>
  /** Projects that may have been active unseen → when they were still known to be quiet. */
  readonly restless: ListProgress['restless']
  /** Projects that the list has just lost. */
  readonly lost: readonly string[]
}

export type Choice = { readonly projectIds: readonly string[]; readonly backlog: Backlog }

type Wish = { readonly projectId: string; readonly urgency: Urgency; readonly score: number }

/** What is in flight or due comes before what merely goes on; the rest of the budget is for what was not seen for long. */
const ORDER: readonly Urgency[] = ['in-flight', 'transition', 'unseen', 'awake', 'age']
/** @param most how many requests there are for it; of those that just go on being awake or old, `restful` */
export function chooseProjects(
  fleet: Fleet,
  limits: Looks & { readonly maxAge: Seconds; readonly readsHistory: boolean },
  now: Instant,
): Choice {
  const wishes = new Map<string, Wish>()
  const wish = (projectId: string, urgency: Urgency, score: number): void => {
    const known = wishes.get(projectId)
    if (!known || isMoreUrgent({ urgency, score }, known))
      wishes.set(projectId, { projectId, urgency, score })
  }
  wishOfComputes(fleet, now, wish)
  wishOfProjects(fleet, { maxAge: limits.maxAge, now }, wish)
  const byUrgency = Map.groupBy(wishes.values(), ({ urgency }) => urgency)
  const costOf = ({ projectId }: Wish): number =>
    limits.readsHistory && isNew(fleet, projectId) ? NEW_COSTS : 1
  const chosen: string[] = []
  let spent = 0
  const backlog: Record<Urgency, number> = { 'in-flight': 0, transition: 0, unseen: 0, awake: 0, age: 0 }
  for (const urgency of ORDER) {
    const all = byUrgency.get(urgency) ?? []
    const room = roomFor(urgency, limits, spent)
    const some = affordable(largest(all, Math.max(0, room), scoreOf), room, costOf)
    spent += some.reduce((sum, one) => sum + costOf(one), 0)
    backlog[urgency] = all.length - some.length
    for (const { projectId } of some) chosen.push(projectId)
  }
  return { projectIds: chosen, backlog }
}

const scoreOf = ({ score }: Wish): number => score

/** A project that is looked at for the first time is asked for its computes and for its history. */
const NEW_COSTS = 2

const isNew = ({ ledger }: Fleet, projectId: string): boolean =>
  ledger.projects.get(projectId)?.listed === undefined

/** As many of the first as fit into `room`. */
function affordable(wishes: readonly Wish[], room: number, costOf: (wish: Wish) => number): readonly Wish[] {
  let left = room
  return wishes.filter((wish) => {
    left -= costOf(wish)
    return left >= 0
  })
}

function roomFor(urgency: Urgency, { most, restful, unseen }: Looks, spent: number): number {
  if (urgency === 'in-flight' || urgency === 'transition') return most - spent
  const room = Math.min(restful, most) - spent
  return urgency === 'unseen' ? Math.min(room, unseen) : room
}

const isMoreUrgent = (a: Omit<Wish, 'projectId'>, b: Omit<Wish, 'projectId'>): boolean =>
  a.urgency === b.urgency ? a.score > b.score : ORDER.indexOf(a.urgency) < ORDER.indexOf(b.urgency)

type Wishing = (projectId: string, urgency: Urgency, score: number) => void

function wishOfComputes({ ledger, changed }: Fleet, now: Instant, wish: Wishing): void {
  for (const account of ledger.computes.values()) {
    const { compute, ref, seenAt, goneAt } = account
    if (goneAt !== undefined || isAtRest(compute)) continue
    const known = ledger.projects.get(ref.projectId)
    const urgency = urgencyOf(account, { known, project: changed.get(ref.projectId) ?? known?.project, now })
    wish(ref.projectId, urgency, (now - seenAt) * largestCu(compute.sizing))
  }
}

/** Only what is asleep stays as it is by itself. */
const isAtRest = ({ state, pendingState }: Compute): boolean => state === 'idle' && pendingState === undefined

type Surroundings = {
  readonly known: ProjectAccount | undefined
  /** Its newest record. */
  readonly project: Project | undefined
}

function urgencyOf(account: ComputeAccount, about: Surroundings & { readonly now: Instant }): Urgency {
  const { state, pendingState } = account.compute
  if (state !== 'active' || pendingState !== undefined) return 'in-flight'
  const due = expectedEnd(account.compute, about.project, about.known)
  return due !== undefined && due <= about.now ? 'transition' : 'awake'
}

function wishOfProjects(
  { ledger, changed, restless, lost }: Fleet,
  { maxAge, now }: { readonly maxAge: Seconds; readonly now: Instant },
  wish: Wishing,
): void {
  const wishOf = (project: Project, listed: ProjectAccount['listed']): void => {
    const age = listed ? now - listed.at : Number.MAX_SAFE_INTEGER
    const moved = listed ? hasMoved(project, listed) : now - (project.computeLastActiveAt ?? 0) < RECENT
    if (moved) wish(project.projectId, 'transition', age)
    else if (!listed) wish(project.projectId, 'unseen', project.computeLastActiveAt ?? 0)
    else if (age >= maxAge * 1000) wish(project.projectId, 'age', age)
  }
  for (const { project, listed } of ledger.projects.values()) {
    if (!changed.has(project.projectId)) wishOf(project, listed)
  }
  for (const project of changed.values()) wishOf(project, ledger.projects.get(project.projectId)?.listed)
  for (const [projectId, quietAt] of restless) wish(projectId, 'transition', now - (quietAt ?? 0))
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

/** Whether a project's record shows activity that no known awake time of its computes explains. */
export function isRestless(
  { projectId, computeLastActiveAt: active }: Project,
  known: ProjectAccount | undefined,
  ledger: Ledger,
): boolean {
  if (active === undefined) return false
  const endpointIds = known?.listed?.endpointIds
  if (!endpointIds) return false
  return !endpointIds.some((endpointId) => {
    const account = ledger.computes.get(computeKey({ account: ledger.account, projectId, endpointId }))
    return account !== undefined && explains(account, active, endpointIds.length)
  })
}

/** Whole seconds, and the moments between a client's query and what the service makes of it. Doubled, a wake right after a suspension is seen at the next activity. */
const ROUNDING = 2000

function explains({ compute }: ComputeAccount, active: Instant, computes: number): boolean {
  const { state, lastActive, startedAt, suspendedAt } = compute
  // One that is awake may be the one; where it has siblings, only activity that it showed itself is its own for sure.
  if (state === 'active' && computes === 1) return true
  if (lastActive !== undefined && Math.abs(active - lastActive) <= ROUNDING) return true
  if (startedAt === undefined || active < startedAt - ROUNDING) return (lastActive ?? 0) >= active
  return state === 'idle' && suspendedAt !== undefined && active <= suspendedAt + ROUNDING
}
