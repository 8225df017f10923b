// The computes of a seed as the service has them at the start, and when they were awake.
import { createService } from '../../../src/service/service.ts'
import { ok } from '../../../src/std/result.ts'
import { Inside } from '../../support/inside.ts'
import { idsOf, type Simulated } from '../../support/simulated-service.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'
import { seeded } from '../seeded.ts'
import { SERVICE_URL } from './configuration.ts'
import type { Life } from './lives.ts'
import type { PastCompute } from './past.ts'

export async function readPast(
  lives: readonly Life[],
  { simulated, clock, never }: Readonly<{ simulated: Simulated; clock: VirtualClock; never: AbortSignal }>,
): Promise<readonly PastCompute[]> {
  const service = createService({
    baseUrl: SERVICE_URL,
    readKey: () => ok(simulated.apiKey),
    clock,
    random: seeded(0),
    requestsPerMinute: 6000,
    projects: 'discover',
    dispatcher: new Inside((request) => simulated.fetch(request), clock),
  })
  const read = async (life: Life, index: number): Promise<PastCompute> => {
    const { projectId, endpointId } = idsOf(index)
    const listed = await service.listComputes(projectId, never)
    const compute = listed.ok ? listed.value.items[0] : undefined
    if (!compute) throw new Error(`compute ${endpointId} cannot be read`)
    const now = clock.now()
    const usage = simulated.usages(now).find((one) => one.endpointId === endpointId)
    const awake = (usage?.intervals ?? []).map(({ from, to }) => ({ from, to: to ?? now }))
    return { compute, life, awake }
  }
  return Promise.all(lives.map(read))
}
