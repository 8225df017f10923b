// One target per compute, for exporters that look into Postgres. Source: Prometheus, "Writing HTTP service discovery".
import type { ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import { forEachYielding, type Cooperative } from '../../std/cooperative.ts'

/** Computes of one step. Doubled, the event loop is held up for a few milliseconds more. */
const COMPUTES = 1000
/** Source: service interface, connection strings. */
const PORT = 5432

/** The body of an answer. */
export function* serviceDiscoveryJson({ computes }: Snapshot): Cooperative<Buffer> {
  const targets: string[] = []
  yield* forEachYielding(computes, COMPUTES, (view) => targets.push(JSON.stringify(targetOf(view))))
  return Buffer.from(`[${targets.join(',')}]\n`)
}

const targetOf = ({ compute, project, owner, state }: ComputeView) => ({
  targets: [`${compute.host}:${PORT}`],
  labels: {
    __meta_dormouse_project_id: compute.projectId,
    __meta_dormouse_project_name: project?.name ?? '',
    __meta_dormouse_endpoint_id: compute.endpointId,
    __meta_dormouse_branch_id: compute.branchId,
    __meta_dormouse_region_id: compute.regionId,
    __meta_dormouse_type: compute.type,
    __meta_dormouse_state: state,
    __meta_dormouse_team: owner.team,
    __meta_dormouse_tier: owner.tier,
  },
})
