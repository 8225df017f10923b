// Changes that wait and are not wanted any more: their recommendation was withdrawn, dismissed, or replaced by a better one, or a person is to
// decide about them.
/* oxlint-disable no-await-in-loop -- few changes wait, one after the other */
import {
  asksNow,
  costsMore,
  unwantedBecause,
  waitsForRecommendation,
} from '../../../decide/policy-changes.ts'
import type { ComputeView, ProjectView, Snapshot } from '../../../model/output/snapshot.ts'
import type { Change } from '../../../model/policy/change.ts'
import type { ChangePolicy } from '../../../model/policy/change-policy.ts'
import type { Recommendation } from '../../../model/policy/recommendation.ts'
import { projectTargetOf, selectorTargetOf, type SelectorTarget } from '../../../model/policy/selector.ts'
import type { History } from '../../../model/ports/history.ts'
import { transition, type Journal } from '../../../model/ports/journal.ts'
import type { ChangeRunner } from '../change-runner.ts'
import { readRecommendation } from '../recommended.ts'

type EndSources = Readonly<{
  history: Pick<History, 'recommendations'>
  runnerOf: (account: string) => Pick<ChangeRunner, 'store' | 'now' | 'wake'>
}>

/** The history is read only for recommendations that the snapshot does not show as open. */
export async function endUnwanted(
  { history, runnerOf }: EndSources,
  snapshot: Snapshot,
  { account, views }: Readonly<{ account: string; views: readonly ComputeView[] }>,
): Promise<void> {
  const targets = [...views, ...projectsIn(snapshot, account)].filter(
    ({ changes = [] }) => changes.length > 0,
  )
  const open = new Set(targets.flatMap(({ advice = [] }) => advice.map(({ id }) => id)))
  for (const { change } of targets.flatMap(({ changes = [] }) => changes)) {
    const id = waitsForRecommendation(change)
    if (id === undefined || open.has(id)) continue
    const recommendation = await readRecommendation({ history }, snapshot, id)
    const because = recommendation && unwantedBecause(recommendation)
    if (because !== undefined) await cancel(change, because, runnerOf(account))
  }
}

type ProposeSources = Pick<ChangeRunner, 'store' | 'now' | 'wake'> &
  Readonly<{
    policyOf: (target: SelectorTarget) => ChangePolicy
    /** Whether a budget of the compute is nearly spent by now: then larger sizes wait for a person, too. */
    isNearlySpent: (target: SelectorTarget) => boolean
  }>

/** Changes of an account that wait and that a person is to decide about by now, also of projects. */
export async function proposeAsked(
  snapshot: Snapshot,
  account: string,
  { policyOf, isNearlySpent, store, now, wake }: ProposeSources,
): Promise<void> {
  for (const { change, target } of scheduledIn(snapshot, account)) {
    const isAsked = asksNow(change, policyOf(target)) || (costsMore(change) && isNearlySpent(target))
    if (!isAsked) continue
    const proposed = await transition(store, { change, to: { at: 'proposed' } }, { at: now() })
    if (proposed.ok) wake()
  }
}

type TargetedChange = Readonly<{ change: Change; target: SelectorTarget }>

/** Runs in every pass: a compute without a change takes nothing but its place in the loop. */
function scheduledIn(snapshot: Snapshot, account: string): readonly TargetedChange[] {
  const scheduled: TargetedChange[] = []
  const add = (changes: ComputeView['changes'], targetOfChange: () => SelectorTarget) => {
    for (const { change } of changes ?? [])
      if (change.state.at === 'scheduled') scheduled.push({ change, target: targetOfChange() })
  }
  for (const { identity, state, changes } of snapshot.computes)
    if (changes && identity.ref.account === account && !state.isDeleted)
      add(changes, () => selectorTargetOf(account, identity.compute, identity.project))
  for (const { project, changes } of projectsIn(snapshot, account))
    if (changes) add(changes, () => projectTargetOf(account, project))
  return scheduled
}

const projectsIn = ({ accounts }: Snapshot, account: string): readonly ProjectView[] =>
  accounts.find((view) => view.account === account)?.projects ?? []

/** Where a person has just dismissed it, without waiting for a pass. */
export async function endChangesOf(
  { journal, runnerOf }: Pick<EndSources, 'runnerOf'> & Readonly<{ journal: Pick<Journal, 'openChanges'> }>,
  recommendation: Recommendation,
): Promise<void> {
  const because = unwantedBecause(recommendation)
  if (because === undefined) return
  const { account } = recommendation.ref
  for (const change of await journal.openChanges(account))
    if (waitsForRecommendation(change) === recommendation.id) await cancel(change, because, runnerOf(account))
}

/** Refused where it moved meanwhile: the next pass asks again. */
async function cancel(
  change: Change,
  because: string,
  { store, now, wake }: Pick<ChangeRunner, 'store' | 'now' | 'wake'>,
): Promise<void> {
  const to = { at: 'cancelled', because, endedAt: now() } as const
  const ended = await transition(store, { change, to }, { at: now() })
  if (ended.ok) wake()
}
