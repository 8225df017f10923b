// Which projects' computes a sweep looks at: the most urgent first, but none for ever. Pure.
import type { Backlog, Urgency } from '../../model/observation.ts'
import type { Instant, Seconds } from '../../model/units.ts'
import { createTopK } from '../../std/top-k.ts'
import { forEachYielding, type Cooperative } from '../../std/cooperative.ts'
import type { LookAllowance } from './poll-plan.ts'
import { isRetryDue } from './retry.ts'
import { isNewProject, scoreByUrgency, type UrgencyInput, type UrgencyScores } from './urgency.ts'

/** Candidates of one step. Doubled, the event loop is held up for a millisecond more. */
const MANY = 2000

export type ProjectSelection = {
  readonly projectIds: readonly string[]
  readonly backlog: Omit<Backlog, 'operations'>
}

export type SelectionLimits = LookAllowance & { readonly maxAge: Seconds; readonly readsHistory: boolean }

/** What is in flight or due comes before what merely goes on; the rest of the budget is for what was not seen for long. */
const ORDER: readonly Urgency[] = ['in-flight', 'transition', 'unseen', 'awake', 'age', 'failing']

/**
 * First each kind gets its share, so that none has to wait for the end of another, and of transitions the oldest, so that none waits
 * for ever behind newer ones; then what is left goes by urgency.
 */
export function* selectProjects(
  fleet: UrgencyInput,
  limits: SelectionLimits,
  now: Instant,
): Cooperative<ProjectSelection> {
  const wishes = yield* scoreByUrgency(fleet, limits.maxAge, now)
  const costOf = (projectId: string): number =>
    limits.readsHistory && isNewProject(fleet, projectId) ? NEW_COSTS : 1
  const chosen = new Set<string>()
  const byUrgency: Record<Urgency, string[]> = {
    'in-flight': [],
    transition: [],
    unseen: [],
    awake: [],
    age: [],
    failing: [],
  }
  const spent = { all: 0, unseen: 0 }
  const isAskable = (projectId: string, urgency: Urgency): boolean =>
    !chosen.has(projectId) && (urgency !== 'failing' || isRetryDue(fleet.tried.get(projectId), now))
  function* choose(urgency: Urgency, room: number, sign = 1): Cooperative<void> {
    const askable = (projectId: string): boolean => isAskable(projectId, urgency)
    const some = yield* mostUrgent(wishes[urgency], { room, sign }, askable)
    for (const projectId of affordable(some, { room, costOf })) {
      chosen.add(projectId)
      byUrgency[urgency].push(projectId)
      spent.all += costOf(projectId)
      if (urgency === 'unseen') spent.unseen += costOf(projectId)
    }
  }
  for (const urgency of ORDER)
    yield* choose(
      urgency,
      Math.min(limits.shares[urgency], limits.most - spent.all),
      urgency === 'transition' ? -1 : 1,
    )
  for (const urgency of ORDER) yield* choose(urgency, roomFor(urgency, limits, spent))
  const backlog = yield* backlogOf(wishes, chosen)
  return { projectIds: ORDER.flatMap((urgency) => byUrgency[urgency]), backlog }
}

/** A project that is looked at for the first time is asked for its computes and for its history. */
const NEW_COSTS = 2

/** No more than there is room for if each costs the least; with the sign −1 the least urgent. */
function* mostUrgent(
  scores: UrgencyScores,
  { room, sign }: { readonly room: number; readonly sign: number },
  isAskable: (projectId: string) => boolean,
): Cooperative<readonly string[]> {
  if (room <= 0) return []
  const kept = createTopK<readonly [string, number]>(room, ([, score]) => sign * score)
  yield* forEachYielding(scores, MANY, (candidate) => {
    if (isAskable(candidate[0])) kept.add(candidate)
  })
  return kept.all().map(([projectId]) => projectId)
}

/** As many of the first as fit into `room`. */
function affordable(
  projectIds: readonly string[],
  { room, costOf }: { readonly room: number; readonly costOf: (projectId: string) => number },
): readonly string[] {
  let left = room
  return projectIds.filter((projectId) => {
    left -= costOf(projectId)
    return left >= 0
  })
}

function roomFor(
  urgency: Urgency,
  { most, restful, unseen }: LookAllowance,
  spent: { readonly all: number; readonly unseen: number },
): number {
  if (urgency === 'in-flight' || urgency === 'transition') return most - spent.all
  const room = Math.min(restful, most) - spent.all
  return urgency === 'unseen' ? Math.min(room, unseen - spent.unseen) : room
}

/** Each project counts once, by the most urgent of its reasons. */
function* backlogOf(
  wishes: Readonly<Record<Urgency, UrgencyScores>>,
  chosen: ReadonlySet<string>,
): Cooperative<ProjectSelection['backlog']> {
  const backlog = { 'in-flight': 0, transition: 0, unseen: 0, awake: 0, age: 0, failing: 0 }
  const counted = new Set(chosen)
  for (const urgency of ORDER) {
    yield* forEachYielding(wishes[urgency].keys(), MANY, (projectId) => {
      if (counted.has(projectId)) return
      counted.add(projectId)
      backlog[urgency] += 1
    })
  }
  return backlog
}
