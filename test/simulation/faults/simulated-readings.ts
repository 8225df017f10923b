// Readings of simulated computes: the daemon's own way to connection strings, sessions that the service counts as activity.
import { askServiceForUri } from '../../../src/observe/reading/address.ts'
import { createReadings } from '../../../src/observe/reading/readings.ts'
import type { Clock, Random } from '../../../src/model/ports/clock.ts'
import type { Readings } from '../../../src/model/ports/readings.ts'
import type { Service } from '../../../src/model/ports/service.ts'
import { seconds, type Seconds } from '../../../src/model/units.ts'
import type { Simulated } from '../../support/simulated-service.ts'
import { simulatedReading } from '../world.ts'

/** Where connection strings come from: the configuration, or a request; undefined: there are none. */
export type Addresses = 'template' | 'service' | undefined

type Parts = {
  readonly service: Simulated
  readonly client: Service
  readonly clock: Clock
  readonly random: Random
  readonly deadline: Seconds
  /** Draws by how many seconds a step is late. */
  readonly lateBy: () => number
}

/** Applications and users of the service's truth. */
export const DORMOUSE = { kind: 'client', applicationName: 'dormouse', user: 'dormouse' } as const

/** Share of light sessions that the service's activity poll notices. */
const NOTICED = 0.2
/** Of a session that nothing slows down, seconds. */
const SESSION = 0.05

export function simulatedReadings(addresses: Addresses, parts: Parts): Readings {
  const { service, client, clock, random, deadline, lateBy } = parts
  const real = createReadings({
    clock,
    deadline,
    dsn: addresses === 'template' ? 'postgresql://dormouse@{host}/app' : undefined,
    password: () => undefined,
    hosts: ['localhost'],
    tls: { sslmode: 'disable', sslrootcert: undefined },
    authentication: ['scram-sha-256'],
    ...(addresses === 'service' && { ask: askServiceForUri(client, { role: 'dormouse', database: 'app' }) }),
    database: 'app',
    serviceUsers: [],
  })
  return {
    ...real,
    read: async ({ projectId, endpointId }, kind, signal) => {
      const length = SESSION + lateBy()
      const arrival = length * random.unit()
      await clock.sleep(seconds(Math.min(arrival, deadline)), signal)
      if (arrival < deadline && (kind === 'full' || random.unit() < NOTICED))
        service.connect(endpointId, DORMOUSE)
      await clock.sleep(seconds(Math.min(length, deadline) - Math.min(arrival, deadline)), signal)
      if (length >= deadline) return { kind: 'failed', because: 'timeout', message: 'no answer in time' }
      service.advance()
      const compute = service.project(projectId)?.computes.find(({ id }) => id === endpointId)
      return { kind: 'read', reading: simulatedReading(kind, compute?.startedAt ?? 0, clock.now()) }
    },
  }
}
