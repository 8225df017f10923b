// The service of a simulation: the local service's control plane without processes, behind the daemon's own decoders.
import {
  endpointWire,
  operationWire,
  optionalTimestamp,
  timestamp,
  type WireView,
} from '../../src/local/api/wire/records.ts'
import { sumUsage } from '../../src/local/control/usage/usage.ts'
import { publishedActivity, type Project } from '../../src/local/control/project.ts'
import {
  createSimulation,
  type SimulatedEvent,
  type Simulation,
} from '../../src/local/control/simulation/simulation.ts'
import type { Reading } from '../../src/model/observation.ts'
import type { Clock, Random, ServiceTime } from '../../src/model/ports/clock.ts'
import type { Readings } from '../../src/model/ports/readings.ts'
import type { Service } from '../../src/model/ports/service.ts'
import { failed, ok, type Result } from '../../src/std/result.ts'
import type { ServiceError } from '../../src/model/service/service-error.ts'
import { bytes, instant, seconds } from '../../src/model/units.ts'
import { createServiceTime } from '../../src/service/http/server-time.ts'
import { decodeComputes, decodeOperations, decodeProjects } from '../../src/service/wire/decode.ts'
import { project, settings, sleeping, START } from '../local/control/build.ts'
import { dateHeader, FRESH_DATE, type KeptDate } from '../support/date-header.ts'
import { UNASKED } from '../support/unasked.ts'

/** How one simulated compute is used: instants of activity in ms after the start, ascending. */
export type Use = {
  readonly endpointId: string
  readonly delay: number
  readonly activity: readonly number[]
  /** The limits of its size, CU; default one fixed size. */
  readonly range?: readonly [min: number, max: number]
  /** Goals of the autoscaler, each from an instant on, ms after the start, ascending. */
  readonly goals?: readonly { readonly at: number; readonly cu: number }[]
  /** Deletion, ms after the start; default: never. */
  readonly deletedAt?: number
}

/** `cpu_used_sec` of a project as the list shows it, from its real use until an instant, CU-seconds. */
export type Count = (usedUntil: (at: number) => number, now: number) => number

export type World = {
  readonly service: Service
  /** The service's time, by the `Date` headers of its responses. */
  readonly time: ServiceTime
  /** Starts a new process of the daemon, which has received no response yet. */
  forget(): void
  readonly readings: Readings
  readonly simulation: Simulation
  /** Makes every request fail until this instant. */
  breakUntil(at: number): void
  /** Computes that were read although no look of the last second showed them awake. */
  readonly blind: readonly string[]
}

const LAG = 5000
/** Of a compute, ms. */
const START_LATENCY = 1500
/** Age of a look that a reading may rest on, ms: one second, and the response of another request in between. */
const LOOK = 1200
/** Page size; no project has more operations in the requested time. */
const OPERATIONS = 1000

/** The list's record of a project with one compute. */
const projectRecord = (
  { id, name, createdAt, updatedAt, computes }: Project,
  { now, lag, used }: WireView & { readonly used: number },
): Record<string, unknown> => ({
  id,
  name,
  platform_id: 'local',
  region_id: 'local',
  provisioner: 'k8s-neonvm',
  pg_version: 17,
  cpu_used_sec: used,
  compute_last_active_at: optionalTimestamp(computes[0] && publishedActivity(computes[0].activity, now, lag)),
  created_at: timestamp(createdAt),
  updated_at: timestamp(updatedAt),
})

export type WorldOptions = {
  readonly clock: Clock
  readonly random: Random
  /** When the simulation begins, ms; default: START. */
  readonly start?: number | undefined
  /** Default: the service counts nothing. */
  readonly count?: Count | undefined
  /** Clocks of the daemon's machine; default: that of the world. */
  readonly machine?: Pick<Clock, 'monotonic' | 'now'>
  /** `Date` headers of responses; default: exact. */
  readonly dates?: KeptDate | 'none' | undefined
  /** Connection strings take up to the deadline of a reading, and three of ten fail. */
  readonly slowAddresses?: boolean | undefined
  /** Seconds until a session reaches its compute; default 0. */
  readonly slowSessions?: number | undefined
  /** Requests that reading the project list takes, by ms since the start, as in a large account; default 1. */
  readonly listRequests?: ((elapsed: number) => number) | undefined
  /** How late the list shows activity, ms; default as late as looks. */
  readonly listLag?: number | undefined
  /** Changes the record of a compute before the daemon gets it. */
  readonly twisted?: ((record: Wire) => Wire) | undefined
}

export type Wire = Readonly<Record<string, unknown>>

const unchanged = (record: Wire): Wire => record

export function createWorld(uses: readonly Use[], options: WorldOptions): World {
  const { clock, random, start = START, count = () => 0, machine = clock } = options
  const { dates = FRESH_DATE, twisted = unchanged, listRequests = () => 1, listLag = LAG } = options
  let time = createServiceTime(machine)
  const simulation = createSimulation({
    projects: uses.map(({ endpointId, delay, range }) => ({
      ...project([{ ...sleeping({ suspendTimeout: delay, ...limitsOf(range) }), id: endpointId }]),
      id: `project-${endpointId}`,
    })),
    from: start,
    settings,
    latencies: { start: START_LATENCY, stop: 300, configure: 100 },
    activity: new Map(uses.map(({ endpointId, activity }) => [endpointId, activity.map((at) => start + at)])),
    scripts: uses.flatMap(({ endpointId, goals = [], deletedAt }): Iterable<SimulatedEvent>[] => [
      goals.map(({ at, cu }) => ({ at: start + at, kind: 'goal', endpointId, cu })),
      deletedAt === undefined ? [] : [deletion(endpointId, start + deletedAt)],
    ]),
  })
  let brokenUntil = 0
  const blind: string[] = []
  // endpoint id → time of the last look that showed it awake, by the service's clock
  const seenAwake = new Map<string, number>()
  const ids = uses.map(({ endpointId }) => `project-${endpointId}`)

  /** A request takes time; its response was true at an instant in between. */
  async function respond<Value>(
    signal: AbortSignal,
    answer: () => Result<Value, unknown>,
  ): Promise<Result<Value, ServiceError>> {
    const sentOn = machine.monotonic()
    await clock.sleep(seconds(0.01 + 0.05 * random.unit()), signal)
    simulation.advance(Math.max(simulation.now(), clock.now()))
    if (clock.now() < brokenUntil) return failed({ kind: 'unavailable', message: 'broken for now' })
    const value = answer()
    const decoded = value.ok
      ? ok(value.value)
      : failed<ServiceError>({ kind: 'malformed', problems: [String(value.error)] })
    const headers = dates === 'none' ? {} : { date: dateHeader(simulation.now(), dates) }
    await clock.sleep(seconds(0.05 * random.unit()), signal)
    time.record({ code: '200', headers, seconds: seconds(machine.monotonic() - sentOn) })
    return decoded
  }
  const view = (): WireView => ({ now: simulation.now(), lag: LAG, suffix: 'localhost', loopback: false })
  const projectOf = (projectId: string): NonNullable<ReturnType<Simulation['project']>> => {
    const simulated = simulation.project(projectId)
    if (!simulated) throw new Error(`no project ${projectId} in the simulation`)
    return simulated
  }
  const recordOf = (id: string): Record<string, unknown> => {
    const until = (to: number): number => sumUsage(simulation.intervals(id, { from: 0, to })).cuMs / 1000
    return projectRecord(projectOf(id), {
      ...view(),
      lag: listLag,
      used: Math.floor(count(until, simulation.now())),
    })
  }
  return {
    simulation,
    time: { estimate: () => time.estimate() },
    forget: () => {
      time = createServiceTime(machine)
    },
    blind,
    breakUntil: (at) => {
      brokenUntil = at
    },
    service: {
      ...UNASKED,
      listProjectsPage: (_, signal) =>
        respond(signal, () => {
          const decoded = decodeProjects({ projects: ids.map(recordOf) })
          const requests = listRequests(simulation.now() - start)
          return decoded.ok ? ok({ ...decoded.value, next: undefined, requests }) : decoded
        }),
      listComputes: (projectId, signal) =>
        respond(signal, () => {
          const { computes } = projectOf(projectId)
          for (const { id, state } of computes)
            if (state === 'active') seenAwake.set(id, simulation.now())
            else seenAwake.delete(id)
          return decodeComputes({
            endpoints: computes.map((compute) => twisted(endpointWire(projectId, compute, view()))),
          })
        }),
      listOperations: (projectId, since, signal) =>
        respond(signal, () => {
          const recent = simulation
            .operations(projectId, OPERATIONS, undefined)
            ?.filter(({ createdAt }) => createdAt >= since - 1000)
          return decodeOperations({ operations: (recent ?? []).map(operationWire) })
        }),
    },
    readings: {
      refusalOf: () => undefined,
      prepare: async (_, signal) => {
        if (!options.slowAddresses) return undefined
        await clock.sleep(seconds(5 * random.unit()), signal)
        if (random.unit() > 0.3) return undefined
        return { kind: 'failed', because: 'error', message: 'too many requests (429)', unconnected: true }
      },
      evict: () => undefined,
      read: async ({ endpointId }, kind, signal) => {
        simulation.advance(Math.max(simulation.now(), clock.now()))
        if (simulation.now() - (seenAwake.get(endpointId) ?? 0) > LOOK) blind.push(endpointId)
        await clock.sleep(seconds(options.slowSessions ?? 0), signal)
        simulation.advance(Math.max(simulation.now(), clock.now()))
        // A full reading is a client session like any other; whether a light one is seen is chance.
        const isAsleep = projectOf(`project-${endpointId}`).computes.some(({ state }) => state !== 'active')
        if (kind === 'full' || random.unit() < 0.1) {
          simulation.connect(endpointId, { kind: 'client', applicationName: 'dormouse', user: 'dormouse' })
        }
        // A session waits for the wake that it causes.
        await clock.sleep(seconds(isAsleep ? 0.05 + START_LATENCY / 1000 : 0.05), signal)
        simulation.advance(Math.max(simulation.now(), clock.now()))
        const compute = projectOf(`project-${endpointId}`).computes.find(({ id }) => id === endpointId)
        return {
          kind: 'read',
          reading: simulatedReading(kind, compute?.startedAt ?? START, simulation.now()),
        }
      },
    },
  }
}

const deletion = (endpointId: string, at: number): SimulatedEvent => ({
  at,
  kind: 'request',
  projectId: `project-${endpointId}`,
  request: { kind: 'delete', endpointId },
})

const limitsOf = (range: Use['range']) => range && { minCu: range[0], maxCu: range[1] }

export const simulatedReading = (kind: Reading['kind'], startedAt: number, now: number): Reading => ({
  kind,
  postmasterStartedAt: instant(startedAt),
  serverTime: instant(now),
  maxConnections: 112,
  reservedConnections: 3,
  cacheLimit: bytes(858_783_744),
  connections: { active: 0, idle: 1, idleInTransaction: 0, other: 0 },
  causes: {
    working: 0,
    idleInTransaction: 0,
    replication: 0,
    subscriptions: 0,
    autovacuum: 0,
    prepared: 0,
    lastForeignStatement: undefined,
    longestTransaction: undefined,
  },
  clients: [],
  usage: { missing: 'not simulated' },
  cache: { hits: 990, misses: 10, used: bytes(2 ** 20), writes: 10 },
  workingSet: { missing: 'not simulated' },
})
