import { failed, ok, type Result } from '../../../std/result.ts'
import { decidedCompute, type PolicyDecision } from '../../../model/output/policy-decision.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { isEngaged } from '../../../model/policy/brakes.ts'
import { CHANGE_KINDS } from '../../../model/policy/change.ts'
import type { Mode } from '../../../model/policy/change-policy.ts'
import { projectTargetOf } from '../../../model/policy/selector.ts'
import type { TargetRef } from '../../../model/service/compute.ts'
import { brakeText, storedBrakeJson } from '../../../outputs/text/brake-text.ts'
import { changeLines, changeSummary } from '../../../outputs/text/change-text.ts'
import type { ChangeJson, TargetChangesJson } from '../../../outputs/text/change-schema.ts'
import { policyLines, warmUpLines } from '../../../outputs/text/policy-text.ts'
import { placedHoldText } from '../../../outputs/text/hold-text.ts'
import { explanationLines } from '../../../outputs/text/explain.ts'
import type { TargetAdviceJson } from '../../../outputs/text/recommendation-schema.ts'
import {
  noWakeLines,
  recommendationLines,
  recommendationSummary,
} from '../../../outputs/text/recommendation-text.ts'
import { reasonGroups, withheldText } from '../../../outputs/text/withheld-text.ts'
import { standingHoldsOn } from '../../changes/commands/hold-commands.ts'
import { readTargetChanges, type JournalSources } from '../../changes/list-changes.ts'
import { computesNamed } from '../../history/named-computes.ts'
import { projectsNamed, type ProjectTarget } from '../../history/named-projects.ts'
import { readTargetAdvice, type AdviceSources } from '../../history/recommendations.ts'
import { explainedProject, projectLines, type ExplainedProject } from './explained-project.ts'
import { computeJson, type ComputeJson } from './status-json.ts'

export type Explanation = Readonly<{
  /** Null: a project without, or with several. */
  compute: ComputeJson | null
  /** Null where a compute is named, and where its defaults were neither recommended nor changed. */
  project: ExplainedProject | null
  /** Policy of changes without a request, with its line of the configuration file; null where none says anything of it, or no daemon runs. */
  policy: Readonly<{ path: string | null; line: number | null; mode: Mode }> | null
  lines: readonly string[]
}>

export type ExplainSources = AdviceSources &
  Readonly<{
    /** Undefined where no changes are made. */
    changes?: JournalSources | undefined
  }>

/**
 * @param name an endpoint id or the name of a compute; the name or id of a project: its only compute is explained, and its defaults where any
 *   were recommended or changed
 * @throws when the store fails
 */
export async function explain(
  snapshot: Snapshot,
  name: string,
  sources: ExplainSources,
): Promise<Result<Explanation, string>> {
  const matches = computesNamed(snapshot.computes, name)
  const [view] = matches
  const isOne = view !== undefined && matches.length === 1
  const projects = projectsNamed(snapshot, name)
  const [project, other] = projects
  if (other && !isOne)
    return failed(
      `${name} is the name of several projects: ${projects.map(({ ref }) => ref.projectId).join(', ')}`,
    )
  const explained = project && (await explainProject(snapshot, project, sources))
  if (isOne) {
    const ofCompute = await explainCompute(snapshot, view, sources)
    return ok(explained ? explainBoth(ofCompute, explained) : ofCompute)
  }
  if (explained) return ok(explained)
  if (!view) return failed(`no compute or project is called ${name}: it does not exist, or was deleted`)
  const ids = matches.map(({ identity: { ref } }) => ref.endpointId).join(', ')
  return failed(`${name} has several computes: ${ids}; name one of them`)
}

async function explainCompute(
  snapshot: Snapshot,
  view: ComputeView,
  sources: ExplainSources,
): Promise<Explanation> {
  const { ref } = view.identity
  const decision = sources.changes?.decisionOf?.(decidedCompute(view))
  const holds = sources.changes ? await standingHoldsOn(sources.changes, snapshot, view.identity) : []
  const warmUps = sources.changes?.warmUpsOf?.(view)
  const lines = [
    ...explanationLines(view),
    ...(warmUps ? warmUpLines(warmUps) : []),
    ...holds.map(placedHoldText),
    ...(await targetLines({ ref, decision, ...(await readTarget(snapshot, ref, sources)) }, sources)),
  ]
  return { compute: computeJson(view), project: null, policy: policyJson(decision), lines }
}

/** Undefined where its defaults were neither evaluated nor changed. */
async function explainProject(
  snapshot: Snapshot,
  { ref, project }: ProjectTarget,
  sources: ExplainSources,
): Promise<Explanation | undefined> {
  const { changes, advice } = await readTarget(snapshot, ref, sources)
  const isNew = changes.open.length + changes.ended.length === 0
  if (isNew && advice.recommendations.length + advice.withheld.length === 0) return undefined
  const open = snapshot.accounts
    .flatMap((account) => account.projects ?? [])
    .find((view) => view.ref.account === ref.account && view.ref.projectId === ref.projectId)
  const decision = sources.changes?.decisionOf?.({
    target: projectTargetOf(ref.account, project),
    advice: open?.advice ?? [],
  })
  const explained = explainedProject(snapshot, ref, project)
  const lines = [
    ...projectLines(explained),
    ...(await targetLines({ ref, decision, changes, advice }, sources)),
  ]
  return { compute: null, project: explained, policy: policyJson(decision), lines }
}

const explainBoth = (compute: Explanation, { project, lines }: Explanation): Explanation => ({
  ...compute,
  project,
  lines: [...compute.lines, ...lines],
})

type Target = Readonly<{
  ref: TargetRef
  changes: TargetChangesJson
  advice: TargetAdviceJson
  decision: PolicyDecision | undefined
}>

/** Open changes with the last that ended, and recommendations. */
async function readTarget(
  snapshot: Snapshot,
  ref: TargetRef,
  sources: ExplainSources,
): Promise<Pick<Target, 'changes' | 'advice'>> {
  const changes = await readTargetChanges(sources.changes, snapshot, { ref, ended: 1 })
  return { changes, advice: await readTargetAdvice(sources, snapshot, ref) }
}

const targetLines = async (
  { ref, changes, advice, decision }: Target,
  sources: ExplainSources,
): Promise<readonly string[]> => [
  ...changesLines(changes),
  ...(decision ? policyLines(decision) : []),
  ...(decision ? await brakeLines(sources.changes, ref) : []),
  ...adviceLines(advice),
]

const policyJson = (decision: PolicyDecision | undefined): Explanation['policy'] =>
  decision
    ? {
        path: decision.policy.path ?? null,
        line: decision.policy.line ?? null,
        mode: decision.policy.mode,
      }
    : null

/** Brakes that hold changes of policies of the compute or project. */
async function brakeLines(sources: JournalSources | undefined, { account, endpointId = '' }: TargetRef) {
  const brakes = (await sources?.journal.storedBrakes(account)) ?? []
  return brakes
    .filter((brake) => isEngaged(brake) && ['', ...CHANGE_KINDS, endpointId].includes(brake.subject))
    .map((brake) => `brake ${brakeText(storedBrakeJson(brake, account))}`)
}

/** Open changes, then the last that ended. */
const changesLines = ({ open, ended }: TargetChangesJson) => [
  ...open.flatMap((one) => changeBlock('change', one)),
  ...ended.flatMap(({ change }) => changeBlock('last change', change)),
]

const changeBlock = (heading: string, change: ChangeJson) => [
  `${heading} ${change.id}: ${changeSummary(change)}`,
  ...changeLines(change).map((line) => `  ${line}`),
]

const adviceLines = ({ currency, recommendations, withheld, noWakeCosts }: TargetAdviceJson) => [
  ...recommendations.flatMap((one) => [
    `recommendation ${one.id}: ${recommendationSummary(one, currency)}`,
    ...[
      ...recommendationLines(one, currency),
      ...noWakeLines(noWakeCosts.get(one.id), currency),
      ...(one.patch?.split('\n') ?? []),
    ].map((line) => `  ${line}`),
  ]),
  ...reasonGroups(withheld).flatMap(({ heading, reasons }) =>
    reasons.map((one) => `${heading}: ${withheldText(one, currency)}`),
  ),
]
