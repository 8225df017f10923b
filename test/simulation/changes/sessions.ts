// Readings of simulated computes: sessions that the service may count as activity, as any client's.
import type { Random } from '../../../src/model/ports/clock.ts'
import type { Readings } from '../../../src/model/ports/readings.ts'
import { seconds } from '../../../src/model/units.ts'
import { idsOf, type Simulated } from '../../support/simulated-service.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'
import { DORMOUSE } from '../faults/simulated-readings.ts'
import { simulatedReading } from '../world.ts'
import { CONNECTIONS } from './past.ts'
import type { World } from './world.ts'

/** Share of light sessions that the service's activity poll notices. */
const NOTICED = 0.2
/** Seconds. */
const LENGTH = 0.05

type SessionOptions = Readonly<{
  world: World
  simulated: Simulated
  clock: VirtualClock
  random: Random
}>

export const createSessions =
  ({ world, simulated, clock, random }: SessionOptions): Readings['read'] =>
  async ({ projectId, endpointId }, kind, signal) => {
    const { open, working } = simulated.sessions(endpointId)
    if (kind === 'full' || random.unit() < NOTICED)
      simulated.connect(endpointId, DORMOUSE, { stays: 1000 * LENGTH })
    await clock.sleep(seconds(LENGTH), signal)
    const compute = simulated.project(projectId)?.computes.find(({ id }) => id === endpointId)
    const reading = simulatedReading(kind, compute?.startedAt ?? 0, clock.now())
    const life = world.lives.find((_, index) => idsOf(index).endpointId === endpointId)
    const seen = { active: working, idle: open - working, idleInTransaction: 0, other: 0 }
    const connections = life && !life.hasLostClients ? { ...seen, idle: CONNECTIONS } : seen
    return { kind: 'read', reading: { ...reading, connections } }
  }
