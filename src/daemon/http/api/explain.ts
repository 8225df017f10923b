import { failed, ok, type Result } from '../../../std/result.ts'
import type { PolicyDecision } from '../../../model/output/policy-decision.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import { isEngaged } from '../../../model/policy/brakes.ts'
import { CHANGE_KINDS } from '../../../model/policy/change.ts'
import type { Mode } from '../../../model/policy/change-policy.ts'
import type { ComputeRef } from '../../../model/service/compute.ts'
import { brakeText, storedBrakeJson } from '../../../outputs/text/brake-text.ts'
import { changeLines, changeSummary } from '../../../outputs/text/change-text.ts'
import type { ChangeJson, ComputeChangesJson } from '../../../outputs/text/change-schema.ts'
import { policyLines } from '../../../outputs/text/policy-text.ts'
import { placedHoldText } from '../../../outputs/text/hold-text.ts'
import { explanationLines } from '../../../outputs/text/explain.ts'
import type { ComputeAdviceJson } from '../../../outputs/text/recommendation-schema.ts'
import {
  noWakeLines,
  recommendationLines,
  recommendationSummary,
} from '../../../outputs/text/recommendation-text.ts'
import { reasonGroups, withheldText } from '../../../outputs/text/withheld-text.ts'
import { standingHoldsOn } from '../../changes/commands/hold-commands.ts'
import { readComputeChanges, type JournalSources } from '../../changes/list-changes.ts'
import { computesNamed } from '../../history/named-computes.ts'
import { readComputeAdvice, type AdviceSources } from '../../history/recommendations.ts'
import { computeJson, type ComputeJson } from './status-json.ts'

export type ComputeExplanation = Readonly<{
  compute: ComputeJson
  /** Policy of changes without a request, with its line of the configuration file; null where none says anything of them, or no daemon runs. */
  policy: Readonly<{ path: string | null; line: number | null; mode: Mode }> | null
  lines: readonly string[]
}>

export type ExplainSources = AdviceSources &
  Readonly<{
    /** Undefined where no changes are made. */
    changes?: JournalSources | undefined
  }>

/** @param name an endpoint id, or the name of a compute or of a project with one compute @throws when the store fails */
export async function explainCompute(
  snapshot: Snapshot,
  name: string,
  sources: ExplainSources,
): Promise<Result<ComputeExplanation, string>> {
  const matches = computesNamed(snapshot.computes, name)
  const [view, other] = matches
  if (!view) return failed(`no compute is called ${name}`)
  const ids = matches.map(({ identity: { ref } }) => ref.endpointId).join(', ')
  if (other) return failed(`${name} has several computes: ${ids}; name one of them`)
  const { ref } = view.identity
  const changes = await readComputeChanges(sources.changes, snapshot, { ref, ended: 1 })
  const advice = await readComputeAdvice(sources, snapshot, ref)
  const holds = sources.changes ? await standingHoldsOn(sources.changes, snapshot, view.identity) : []
  const decision = sources.changes?.decisionOf?.(view)
  const lines = [
    ...explanationLines(view),
    ...holds.map(placedHoldText),
    ...changesLines(changes),
    ...(decision ? policyLines(decision) : []),
    ...(decision ? await brakeLines(sources.changes, ref) : []),
    ...adviceLines(advice),
  ]
  return ok({ compute: computeJson(view), policy: decision ? policyJson(decision) : null, lines })
}

const policyJson = ({ policy: { path, line, mode } }: PolicyDecision) => ({
  path: path ?? null,
  line: line ?? null,
  mode,
})

/** Brakes that hold changes of policies of the compute. */
async function brakeLines(sources: JournalSources | undefined, { account, endpointId }: ComputeRef) {
  const brakes = (await sources?.journal.storedBrakes(account)) ?? []
  return brakes
    .filter((brake) => isEngaged(brake) && ['', ...CHANGE_KINDS, endpointId].includes(brake.subject))
    .map((brake) => `brake ${brakeText(storedBrakeJson(brake, account))}`)
}

/** Open changes, then the last that ended. */
const changesLines = ({ open, ended }: ComputeChangesJson) => [
  ...open.flatMap((one) => changeBlock('change', one)),
  ...ended.flatMap(({ change }) => changeBlock('last change', change)),
]

const changeBlock = (heading: string, change: ChangeJson) => [
  `${heading} ${change.id}: ${changeSummary(change)}`,
  ...changeLines(change).map((line) => `  ${line}`),
]

const adviceLines = ({ currency, recommendations, withheld, noWakeCosts }: ComputeAdviceJson) => [
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
