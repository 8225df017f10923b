// Selection of the projects whose computes a sweep looks at: the most urgent first, but every project in the end. Pure.
import type { Backlog, Urgency } from '../../model/observation.ts'
import type { Instant, Seconds } from '../../model/units.ts'
import { createTopK } from '../../std/top-k.ts'
import type { LookAllowance } from './poll-plan.ts'
import { isRetryDue } from './retry.ts'
import { isNewProject, scoreByUrgency, type UrgencyInput, type UrgencyScores } from './urgency.ts'

export type ProjectSelection = Readonly<{
  projectIds: readonly string[]
  backlog: Omit<Backlog, 'operations'>
}>

export type SelectionLimits = LookAllowance & { readonly maxAge: Seconds; readonly readsHistory: boolean }

/** Transitions come before what is merely awake; the rest of the requests is for what was not looked at for long. */
const ORDER: readonly Urgency[] = ['in-flight', 'transition', 'unseen', 'awake', 'age', 'failing']

/** Requests for a project that is looked at for the first time: its computes and its history. */
const NEW_PROJECT_COST = 2

/**
 * 1. Each urgency gets its share, so that none has to wait for the end of another; of transitions the oldest, so that none waits for ever
 *    behind newer ones.
 * 2. The remaining requests go by urgency.
 */
export function selectProjects(fleet: UrgencyInput, limits: SelectionLimits, now: Instant): ProjectSelection {
  const scores = scoreByUrgency(fleet, limits.maxAge, now)
  const costOf = (projectId: string): number =>
    limits.readsHistory && isNewProject(fleet, projectId) ? NEW_PROJECT_COST : 1
  const selected = new Set<string>()
  const byUrgency: Record<Urgency, string[]> = {
    'in-flight': [],
    transition: [],
    unseen: [],
    awake: [],
    age: [],
    failing: [],
  }
  const spent = { all: 0, unseen: 0 }
  const select = (urgency: Urgency, room: number, sign = 1): void => {
    const isSelectable = (projectId: string): boolean =>
      !selected.has(projectId) && (urgency !== 'failing' || isRetryDue(fleet.failed.get(projectId), now))
    const candidates = mostUrgent(scores[urgency], { room, sign }, isSelectable)
    for (const projectId of affordable(candidates, { room, costOf })) {
      selected.add(projectId)
      byUrgency[urgency].push(projectId)
      spent.all += costOf(projectId)
      if (urgency === 'unseen') spent.unseen += costOf(projectId)
    }
  }
  for (const urgency of ORDER)
    select(
      urgency,
      Math.min(limits.shares[urgency], limits.most - spent.all),
      urgency === 'transition' ? -1 : 1,
    )
  for (const urgency of ORDER) select(urgency, roomFor(urgency, limits, spent))
  return {
    projectIds: ORDER.flatMap((urgency) => byUrgency[urgency]),
    backlog: backlogOf(scores, selected),
  }
}

/** At most `room` projects, as each costs at least one request; with sign −1 the least urgent. */
function mostUrgent(
  scores: UrgencyScores,
  { room, sign }: { readonly room: number; readonly sign: number },
  isSelectable: (projectId: string) => boolean,
): readonly string[] {
  if (room <= 0) return []
  const top = createTopK<readonly [string, number]>(room, ([, score]) => sign * score)
  for (const candidate of scores) if (isSelectable(candidate[0])) top.add(candidate)
  return top.all().map(([projectId]) => projectId)
}

/** Projects in order, while their costs fit into `room`. */
function affordable(
  projectIds: readonly string[],
  { room, costOf }: { readonly room: number; readonly costOf: (projectId: string) => number },
): readonly string[] {
  let remaining = room
  return projectIds.filter((projectId) => {
    remaining -= costOf(projectId)
    return remaining >= 0
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

/** Each project that was not selected counts once, by the most urgent of its reasons. */
function backlogOf(
  scores: Readonly<Record<Urgency, UrgencyScores>>,
  selected: ReadonlySet<string>,
): ProjectSelection['backlog'] {
  const backlog = { 'in-flight': 0, transition: 0, unseen: 0, awake: 0, age: 0, failing: 0 }
  const counted = new Set(selected)
  for (const urgency of ORDER)
    for (const projectId of scores[urgency].keys()) {
      if (counted.has(projectId)) continue
      counted.add(projectId)
      backlog[urgency] += 1
    }
  return backlog
}
