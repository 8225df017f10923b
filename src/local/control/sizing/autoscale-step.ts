import { type Draft, withCompute, withEffects } from '../draft.ts'
import { resizeMeter } from '../usage/meter.ts'
import type { Compute } from '../project.ts'

/** Moves an awake compute to the goal inside its range; nothing restarts and nobody is dropped (S-67). */
export function resizeTo(draft: Draft, compute: Compute, goal: number): Draft {
  const { minCu, maxCu } = compute.config
  const cu = Math.min(maxCu, Math.max(minCu, goal))
  if (compute.state !== 'active' || compute.pending || cu === compute.meter.open?.cu) return draft
  const { meter, interval } = resizeMeter(compute.meter, cu, draft.context.now)
  if (!interval) return draft
  const { id: endpointId, updatedAt } = compute
  return withEffects(
    withCompute(draft, endpointId, { meter, updatedAt }),
    { kind: 'write-interval', endpointId, interval },
    { kind: 'resize', endpointId, cu },
  )
}
