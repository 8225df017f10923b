import type { ComputeView } from '../../model/output/snapshot.ts'

/** By the first of the ways below that any compute fits. */
export function computesNamed(computes: readonly ComputeView[], name: string) {
  const ways: readonly ((view: ComputeView) => string | undefined)[] = [
    ({ identity: { ref } }) => ref.endpointId,
    ({ identity: { compute } }) => compute.name,
    ({ identity: { project } }) => project?.name,
    ({ identity: { ref } }) => ref.projectId,
  ]
  const matches = ways.map((way) => computes.filter((view) => way(view) === name))
  return matches.find(({ length }) => length > 0) ?? []
}
