// Recommendations as changes: which a command names, and the change that its approval makes.
import type { ChangeAsk } from '../../apply/asked-settings.ts'
import { comparedDefaultsOf, planChange, planDefaults, type ChangePlan } from '../../apply/plan.ts'
import { hasSettings, settingsLike, settingsText } from '../../apply/settings.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import type { ChangeMoment, ChangeSettings } from '../../model/policy/change.ts'
import type { Recommendation, Setting } from '../../model/policy/recommendation.ts'
import type { History } from '../../model/ports/history.ts'
import { isComputeRef, type ProjectRef, type TargetRef } from '../../model/service/compute.ts'
import type { Result } from '../../std/result.ts'
import { digest } from '../advice/evaluate.ts'
import { targetsOfId } from '../history/named-projects.ts'
import type { ChangeRunner } from './change-runner.ts'
import {
  defaultsTargetOf,
  refuseCommand,
  refusePlan,
  planTargetOf,
  viewOfRef,
  type CommandProblem,
} from './targets.ts'

type Recommendations = Readonly<{ history: Pick<History, 'recommendations'> }>

export async function openRecommendations(
  { history }: Recommendations,
  refs: readonly TargetRef[],
): Promise<readonly Recommendation[]> {
  const read = refs.map((ref) =>
    Array.fromAsync(history.recommendations(ref.account, { targets: [ref], states: ['open'] })),
  )
  return (await Promise.all(read)).flat()
}

/** In any state. @param id begins with that of its compute or project */
export async function readRecommendation(
  { history }: Recommendations,
  snapshot: Snapshot,
  id: string,
): Promise<Recommendation | undefined> {
  const read = targetsOfId(snapshot, id).map((ref) =>
    Array.fromAsync(history.recommendations(ref.account, { targets: [ref] })),
  )
  return (await Promise.all(read)).flat().find((one) => one.id === id)
}

type PlanContext = Readonly<{
  when: ChangeMoment
  runnerOf: (account: string) => Pick<ChangeRunner, 'limits'>
}>

/** The change that an approval of a recommendation makes. */
export function planOfRecommendation(
  snapshot: Snapshot,
  recommendation: Recommendation,
  { when, runnerOf }: PlanContext,
): Result<ChangePlan, CommandProblem> {
  const { id, kind, ref, life } = recommendation
  if (life.state !== 'open')
    return refuseCommand(409, `recommendation ${id} is ${life.state}: only an open one is approved`)
  if (!isComputeRef(ref)) return planOfDefaults(snapshot, { ...recommendation, ref }, { when, runnerOf })
  if (kind !== 'delay' && kind !== 'sizing' && kind !== 'refresh')
    return refuseCommand(
      409,
      `recommendation ${id} is of kind ${kind}, which no change of settings implements`,
    )
  const view = viewOfRef(snapshot, ref)
  if (!view) return refuseCommand(409, `the compute of recommendation ${id} is gone`)
  const target = planTargetOf(view, runnerOf(ref.account).limits())
  const made = settingsOf(recommendation.from)
  if (!hasSettings(target, made)) {
    const current = settingsText(settingsLike(made, target))
    return refuseCommand(
      409,
      `recommendation ${id} was made for ${settingsText(made)}, and the compute has ${current} now`,
    )
  }
  const plan = planChange(target, askOf(recommendation, when), digest)
  return plan.ok ? plan : refusePlan({ ...plan.error, isConflict: true })
}

function planOfDefaults(
  snapshot: Snapshot,
  { id, ref, from, to }: Recommendation & { readonly ref: ProjectRef },
  { when, runnerOf }: PlanContext,
): Result<ChangePlan, CommandProblem> {
  const target = defaultsTargetOf(snapshot, ref, runnerOf(ref.account).limits())
  if (!target) return refuseCommand(409, `the project of recommendation ${id} is gone`)
  const made = settingsOf(from)
  const compared = comparedDefaultsOf(target)
  if (!hasSettings(compared, made)) {
    const now = settingsText(settingsLike(made, compared))
    return refuseCommand(
      409,
      `recommendation ${id} was made for ${settingsText(made)}, and the project has ${now} now`,
    )
  }
  const plan = planDefaults(target, { settings: settingsOf(to), when }, digest)
  return plan.ok ? plan : refusePlan({ ...plan.error, isConflict: true })
}

const settingsOf = ({ sizing, delay }: Setting): ChangeSettings => ({
  ...(sizing && { sizing }),
  ...(delay !== undefined && { autosuspendDelay: delay }),
})

const askOf = ({ kind, to: { sizing, delay } }: Recommendation, when: ChangeMoment): ChangeAsk => ({
  size: sizing && ('fixed' in sizing ? { fixed: sizing.fixed } : sizing),
  delay,
  restart: kind === 'refresh',
  when,
})
