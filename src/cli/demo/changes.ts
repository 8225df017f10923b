// The change of the demo: a person approves a recommended size, and Dormouse applies it at the natural suspension.
import type { Truth } from '../../local/engine/truth.ts'
import type { ChangeJson, ChangesJson, PlansJson } from '../../outputs/text/change-schema.ts'
import { changeStateText, changeTitle } from '../../outputs/text/change-text.ts'
import { isoWeekIdOf } from '../../calendar/iso-week.ts'
import { createUtc } from '../../calendar/zone.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { seconds, type Instant } from '../../model/units.ts'
import type { RecommendationJson } from '../../outputs/text/recommendation-schema.ts'
import { fieldOf } from '../../std/field.ts'
import { sumOf } from '../../std/sum.ts'
import { askDaemon, readJson, type DaemonApi } from '../connect/daemon.ts'
import { SHOWN_FOR } from './cast.ts'
import { readRecommendations } from './recommendations.ts'

type Approver = Readonly<{ clock: Clock; signal: AbortSignal }>

/** Approves the first open recommendation of a size for a project, after it was shown. */
export async function approveSize(
  api: DaemonApi,
  projectId: string,
  { clock, signal }: Approver,
): Promise<void> {
  while (!signal.aborted) {
    // oxlint-disable-next-line no-await-in-loop -- until there is one
    const found = await recommendedSize(api.url, projectId)
    // oxlint-disable-next-line no-await-in-loop -- likewise
    await clock.sleep(seconds(found ? SHOWN_FOR : 1), signal)
    // oxlint-disable-next-line no-await-in-loop -- likewise
    if (found && (await approve(api, found.id))) return
  }
}

/** The open recommendation of a size for a project; undefined where there is none, and where the daemon does not answer. */
export async function recommendedSize(
  apiUrl: string,
  projectId: string,
): Promise<RecommendationJson | undefined> {
  const all = await readRecommendations(apiUrl)
  return all?.recommendations.find(
    ({ project_id, kind, state }) => project_id === projectId && kind === 'sizing' && state === 'open',
  )
}

/** Whether it was approved: a recommendation may have been replaced meanwhile. */
async function approve(api: DaemonApi, id: string): Promise<boolean> {
  const plans = await readJson(api, `/api/v1/plan?name=${encodeURIComponent(id)}`, { isExpected: isPlans })
  const [plan] = plans.ok ? plans.value.plans : []
  if (!plan) return false
  const body = JSON.stringify({ plan_hash: plan.plan_hash })
  const path = `/api/v1/recommendations/${encodeURIComponent(id)}/approve`
  const answer = await askDaemon(api, path, { method: 'POST', body })
  if (answer.ok) await answer.value.dump()
  return answer.ok
}

const isPlans = (body: unknown): body is PlansJson => Array.isArray(fieldOf(body, 'plans'))

/** Newest first; none if the daemon does not answer. */
export async function readChanges(apiUrl: string): Promise<readonly ChangeJson[]> {
  const answer = await readJson({ url: apiUrl }, '/api/v1/changes', { isExpected: isChanges })
  return answer.ok ? answer.value.changes : []
}

const isChanges = (body: unknown): body is ChangesJson => Array.isArray(fieldOf(body, 'changes'))

/** What changes wait for, by change and reason: events say the rest. */
export const changeNews = (
  changes: readonly ChangeJson[],
): readonly (readonly [key: string, line: string])[] =>
  changes.flatMap((change) => {
    const { id, state, hold, created_at: createdAt } = change
    if (!hold || state !== 'scheduled') return []
    const line = `${(hold.since ?? createdAt).slice(11, 19)} change of ${nameOf(change)}, ${changeTitle(change)}: ${hold.text}`
    return [[`${id} ${hold.because}`, line]]
  })

const nameOf = ({ project_name, project_id }: ChangeJson) => project_name ?? project_id

/** Each change, with what the service did for it: how often it took effect, and the sessions it interrupted. */
export function changedOf(changes: readonly ChangeJson[], { computes }: Truth) {
  return changes.map((change) => {
    const real = computes.find(({ endpointId }) => endpointId === change.endpoint_id)
    const stops = (real?.stops ?? []).filter(({ why }) => why === 'config' || why === 'restart-call')
    return {
      name: nameOf(change),
      state: change.state,
      text: `${changeTitle(change)}, ${changeStateText(change)}`,
      requests: real?.mutations.filter(({ action }) => action === 'update').length ?? 0,
      stops: stops.length,
      sessionsInterrupted: sumOf(stops, ({ open }) => open),
    }
  })
}

/** The section of changes in the report of the week that is running, as Markdown; empty if the daemon does not answer. */
export async function reportedChanges(apiUrl: string, now: Instant): Promise<readonly string[]> {
  const week = isoWeekIdOf(now, createUtc())
  const answer = await askDaemon({ url: apiUrl }, `/api/v1/report?format=markdown&week=${week}`)
  const text = answer.ok ? await answer.value.text() : ''
  const [, section = ''] = text.split('\n## Changes made\n')
  const [body = ''] = section.split('\n## ')
  return body.split('\n').filter((line) => line.startsWith('|'))
}
