// What is said of a compute on every page.
import type { ComputeView } from '../../model/output/snapshot.ts'

/** What people call it: its own name, else that of its project. */
export const computeDisplayName = ({ compute, project, ref }: ComputeView): string =>
  compute.name ?? project?.name ?? ref.endpointId

/** `0.25`, or `0.25–2` of a range. */
export const sizeRangeText = ({ compute: { sizing } }: ComputeView): string =>
  'fixed' in sizing || sizing.min === sizing.max
    ? String('fixed' in sizing ? sizing.fixed : sizing.min)
    : `${sizing.min}–${sizing.max}`

export function connectionCount({ connections }: ComputeView): number | undefined {
  if (!connections) return undefined
  return connections.active + connections.idle + connections.idleInTransaction + connections.other
}
