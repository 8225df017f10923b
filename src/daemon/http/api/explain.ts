// One compute of a snapshot, found as people name it, with all that is known of why it is as it is.
import { failed, ok, type Result } from '../../../std/result.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { explanationLines } from '../../../outputs/text/explain.ts'
import { computeJson, type ComputeJson } from './status-json.ts'

export type ComputeExplanation = { readonly compute: ComputeJson; readonly lines: readonly string[] }

/** @param name an endpoint id, or the name of a compute or of a project that has one compute */
export function explainCompute({ computes }: Snapshot, name: string): Result<ComputeExplanation, string> {
  const found = named(computes, name)
  const [view, other] = found
  if (!view) return failed(`no compute is called ${name}`)
  if (other)
    return failed(
      `${name} has several computes: ${found.map(({ ref }) => ref.endpointId).join(', ')}; name one of them`,
    )
  return ok({ compute: computeJson(view), lines: explanationLines(view) })
}

/** The first way of naming that fits any. */
function named(computes: readonly ComputeView[], name: string): readonly ComputeView[] {
  const ways: readonly ((view: ComputeView) => string | undefined)[] = [
    ({ ref }) => ref.endpointId,
    ({ compute }) => compute.name,
    ({ project }) => project?.name,
    ({ ref }) => ref.projectId,
  ]
  const found = ways.map((way) => computes.filter((view) => way(view) === name))
  return found.find(({ length }) => length > 0) ?? []
}
