import { failed, ok, type Result } from '../../../std/result.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { explanationLines } from '../../../outputs/text/explain.ts'
import { computeJson, type ComputeJson } from './status-json.ts'

export type ComputeExplanation = Readonly<{ compute: ComputeJson; lines: readonly string[] }>

/** @param name an endpoint id, or the name of a compute or of a project with one compute */
export function explainCompute({ computes }: Snapshot, name: string): Result<ComputeExplanation, string> {
  const matches = computesNamed(computes, name)
  const [view, other] = matches
  if (!view) return failed(`no compute is called ${name}`)
  const ids = matches.map(({ identity: { ref } }) => ref.endpointId).join(', ')
  if (other) return failed(`${name} has several computes: ${ids}; name one of them`)
  return ok({ compute: computeJson(view), lines: explanationLines(view) })
}

/** By the first of the ways below that any compute fits. */
function computesNamed(computes: readonly ComputeView[], name: string) {
  const ways: readonly ((view: ComputeView) => string | undefined)[] = [
    ({ identity: { ref } }) => ref.endpointId,
    ({ identity: { compute } }) => compute.name,
    ({ identity: { project } }) => project?.name,
    ({ identity: { ref } }) => ref.projectId,
  ]
  const matches = ways.map((way) => computes.filter((view) => way(view) === name))
  return matches.find(({ length }) => length > 0) ?? []
}
