// Computes that are made and deleted beside the old ones: replicas of one branch, each for some hours.
import type { SimulatedEvent } from '../../../src/local/control/simulation/simulation.ts'
import type { Random } from '../../../src/model/ports/clock.ts'
import { idsOf } from '../../support/simulated-service.ts'
import { drawPause } from './lives.ts'
import type { World } from './world.ts'

/** Number of the project. */
const PROJECT = 1

/** Of the nth replica of a seed. */
const replicaId = (number: number): string => `ep-replica-${number}`

/** Events in order of time. @param until seconds after the start, by which the last one is deleted */
export function* drawReplicas(random: Random, { start }: World, until: number): Generator<SimulatedEvent> {
  const { projectId, branchId } = idsOf(PROJECT)
  let elapsed = drawPause(random, [1000, 20_000])
  for (let number = 0; ; number += 1) {
    const [endpointId, lives] = [replicaId(number), drawPause(random, [2000, 20_000])]
    if (elapsed + lives > until) return
    const at = (after: number): number => Math.floor(start + 1000 * (elapsed + after))
    const config = { minCu: 0.25, maxCu: 1, suspendTimeout: 60 }
    yield {
      at: at(0),
      kind: 'request',
      projectId,
      request: { kind: 'create', branchId, endpointId, type: 'read_only', config },
    }
    for (let after = 60; after < lives; after += drawPause(random, [60, 2000]))
      yield { at: at(after), kind: 'connect', endpointId, cause: { kind: 'client', applicationName: 'app' } }
    yield { at: at(lives), kind: 'request', projectId, request: { kind: 'delete', endpointId } }
    elapsed += lives + drawPause(random, [1000, 30_000])
  }
}
