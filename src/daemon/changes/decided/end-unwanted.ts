// Changes that wait and are not wanted any more: their recommendation was withdrawn, dismissed, or replaced by a better one, or a person is to
// decide about them.
/* oxlint-disable no-await-in-loop -- few changes wait, one after the other */
import { costsMore, unwantedBecause, waitsForRecommendation } from '../../../decide/policy-changes.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import type { Change } from '../../../model/policy/change.ts'
import type { Recommendation } from '../../../model/policy/recommendation.ts'
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
  const projects = snapshot.accounts.find((view) => view.account === account)?.projects ?? []
  const targets = [...views, ...projects].filter(({ changes = [] }) => changes.length > 0)
  const open = new Set(targets.flatMap(({ advice = [] }) => advice.map(({ id }) => id)))
  for (const { change } of targets.flatMap(({ changes = [] }) => changes)) {
    const id = waitsForRecommendation(change)
    if (id === undefined || open.has(id)) continue
    const recommendation = await readRecommendation({ history }, snapshot, id)
    const because = recommendation && unwantedBecause(recommendation)
    if (because !== undefined) await cancel(change, because, runnerOf(account))
  }
}

/** Larger sizes that wait, of computes of which a budget is nearly spent by now, wait for a person. */
export async function proposeLarger(
  views: readonly ComputeView[],
  { store, now, wake }: Pick<ChangeRunner, 'store' | 'now' | 'wake'>,
): Promise<void> {
  for (const { change } of views.flatMap(({ changes = [] }) => changes)) {
    if (!costsMore(change)) continue
    const proposed = await transition(store, { change, to: { at: 'proposed' } }, { at: now() })
    if (proposed.ok) wake()
  }
}

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
