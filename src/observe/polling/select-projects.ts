// Which projects' computes a sweep looks at: the most urgent first, but none for ever. Pure.
import type { Backlog, Urgency } from '../../model/observation.ts'
import type { Instant, Seconds } from '../../model/units.ts'
import { keepLargest } from '../../std/top-k.ts'
import { eachInTurns, type Steps } from '../../std/cooperative.ts'
import type { Looks } from './poll-plan.ts'
import { isDue } from './retry.ts'
import { isNew, wishesOf, type Fleet, type Scores } from './urgency.ts'

/** Candidates of one step. Doubled, the event loop is held up for a millisecond more. */
const MANY = 2000

export type Choice = { readonly projectIds: readonly string[]; readonly backlog: Omit<Backlog, 'operations'> }

export type ChoiceLimits = Looks & { readonly maxAge: Seconds; readonly readsHistory: boolean }

/** What is in flight or due comes before what merely goes on; the rest of the budget is for what was not seen for long. */
const ORDER: readonly Urgency[] = ['in-flight', 'transition', 'unseen', 'awake', 'age', 'failing']

/**
 * First each kind gets its share, so that none has to wait for the end of another, and of transitions the oldest, so that none waits
 * for ever behind newer ones; then what is left goes by urgency.
 */
export function* chooseProjects(fleet: Fleet, limits: ChoiceLimits, now: Instant): Steps<Choice> {
  const wishes = yield* wishesOf(fleet, limits.maxAge, now)
  const costOf = (projectId: string): number =>
    limits.readsHistory && isNew(fleet, projectId) ? NEW_COSTS : 1
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
    !chosen.has(projectId) && (urgency !== 'failing' || isDue(fleet.tried.get(projectId), now))
  function* choose(urgency: Urgency, room: number, sign = 1): Steps<void> {
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
  scores: Scores,
  { room, sign }: { readonly room: number; readonly sign: number },
  isAskable: (projectId: string) => boolean,
): Steps<readonly string[]> {
  if (room <= 0) return []
  const kept = keepLargest<readonly [string, number]>(room, ([, score]) => sign * score)
  yield* eachInTurns(scores, MANY, (candidate) => {
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
  { most, restful, unseen }: Looks,
  spent: { readonly all: number; readonly unseen: number },
): number {
  if (urgency === 'in-flight' || urgency === 'transition') return most - spent.all
  const room = Math.min(restful, most) - spent.all
  return urgency === 'unseen' ? Math.min(room, unseen - spent.unseen) : room
}

/** Each project counts once, by the most urgent of its reasons. */
function* backlogOf(
  wishes: Readonly<Record<Urgency, Scores>>,
  chosen: ReadonlySet<string>,
): Steps<Choice['backlog']> {
  const backlog = { 'in-flight': 0, transition: 0, unseen: 0, awake: 0, age: 0, failing: 0 }
  const counted = new Set(chosen)
  for (const urgency of ORDER) {
    yield* eachInTurns(wishes[urgency].keys(), MANY, (projectId) => {
      if (counted.has(projectId)) return
      counted.add(projectId)
      backlog[urgency] += 1
    })
  }
  return backlog
}
