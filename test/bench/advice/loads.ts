// Load of computes that live by recorded activity: levels of recorded CPU series while clients are active, as the service's autoscaler
// follows it and as readings show it.
import type { SimulatedEvent } from '../../../src/local/control/simulation/simulation.ts'
import { FINE_STEP } from '../../../src/model/ledger/rollup.ts'
import type { Random } from '../../../src/model/ports/clock.ts'
import type { Readings } from '../../../src/model/ports/readings.ts'
import { createPreset, sizeAtLeast } from '../../../src/model/service/sizes.ts'
import { bytes, cu, millis, seconds } from '../../../src/model/units.ts'
import type { LoadSeries } from '../../../src/replay/load.ts'
import { DORMOUSE } from '../../simulation/faults/simulated-readings.ts'
import { simulatedReading } from '../../simulation/world.ts'
import { idsOf, type Simulated } from '../../support/simulated-service.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'
import type { LifeOfCompute } from './lives.ts'

const MINUTE = 60
const MINUTES_PER_STEP = FINE_STEP / MINUTE
const WEEK_OF_STEPS = (7 * 86_400) / FINE_STEP

/** Of each minute since the start; 0 while no client is active. */
export type ComputeLoad = Readonly<{
  /** CU. */
  demand: Float64Array
  /** Sessions in a statement per CU of demand: they wait for storage and locks, too. */
  sessionsPerCu: number
}>

/** Sessions in a statement per CU, of one compute after the other. */
const SESSIONS_PER_CU = [1, 1.5, 2, 3]

/** Of each life, from one series after the other. @param span length of the lives, seconds */
export const loadsOf = (
  lives: readonly LifeOfCompute[],
  { series, span }: Readonly<{ series: readonly LoadSeries[]; span: number }>,
): readonly ComputeLoad[] =>
  lives.map((life, at) => {
    const levels = series[at % series.length]?.used
    if (!levels) throw new Error('no CPU series in the traces')
    const sessionsPerCu = SESSIONS_PER_CU[at % SESSIONS_PER_CU.length] ?? 1
    return { demand: demandOf(life, levels, Math.ceil(span / MINUTE)), sessionsPerCu }
  })

/** A series that ends begins again on the same weekday. */
function demandOf(
  { active, minCu = 1, maxCu = minCu }: LifeOfCompute,
  levels: Float64Array,
  minutes: number,
): Float64Array {
  const weeks = Math.floor(levels.length / WEEK_OF_STEPS)
  const period = weeks > 0 ? weeks * WEEK_OF_STEPS : levels.length
  const levelAt = (minute: number) => levels[Math.floor(minute / MINUTES_PER_STEP) % period] ?? NaN
  const isActive = new Uint8Array(minutes)
  for (const { from, to } of active) isActive.fill(1, from / MINUTE, to / MINUTE)
  return Float64Array.from(isActive, (isUsed, minute) => (isUsed ? maxCu * (levelAt(minute) || 0) : 0))
}

/** Of the service's autoscaler: share of a size that demand may fill. Source: service-facts.md, "Goal CU". */
const FILLED = 0.9
const { sizes } = createPreset('interface')

/** Goals of the autoscaler, a few seconds after each minute with load and for five minutes after it, so that a compute that starts has them, too. */
export function* goalsOf(
  { demand }: ComputeLoad,
  { at, start }: Readonly<{ at: number; start: number }>,
): Generator<SimulatedEvent> {
  const { endpointId } = idsOf(at)
  for (let minute = 0; minute < demand.length; minute += 1) {
    const recent = demand.subarray(Math.max(0, minute - 2 * MINUTES_PER_STEP), minute + 1)
    if (recent.every((one) => one === 0)) continue
    const held = Math.max(...recent.subarray(-MINUTES_PER_STEP))
    yield {
      at: start + 1000 * (minute * MINUTE + AFTER_START),
      kind: 'goal',
      endpointId,
      cu: sizeAtLeast(sizes, held / FILLED),
    }
  }
}

/** Seconds into a minute: a compute that its first query wakes has started then. */
const AFTER_START = 5

/** Share of light sessions that the service's activity poll notices. */
const NOTICED = 0.2
/** Of a session, seconds. */
const LENGTH = 0.05
/** Connections that a pool of the application holds. */
const POOL = 8
/** Bytes of file cache of 1 CU under the limits of the interface text: four fifths of 4 GiB. */
const CACHE_PER_CU = 0.8 * 4 * 2 ** 30

type LoadReadings = Readonly<{
  service: Simulated
  clock: VirtualClock
  random: Random
  loads: readonly ComputeLoad[]
  start: number
}>

/** Readings that show load, connections and the size of now. */
export function loadReadings({ service, clock, random, loads, start }: LoadReadings): Readings['read'] {
  const byEndpoint = new Map(loads.map((load, at) => [idsOf(at).endpointId, worked(load)]))
  return async ({ projectId, endpointId }, kind, signal) => {
    if (kind === 'full' || random.unit() < NOTICED)
      service.connect(endpointId, DORMOUSE, { stays: 1000 * LENGTH })
    await clock.sleep(seconds(LENGTH), signal)
    service.advance()
    const compute = service.project(projectId)?.computes.find(({ id }) => id === endpointId)
    const load = byEndpoint.get(endpointId)
    const startedAt = compute?.startedAt ?? 0
    const reading = simulatedReading(kind, startedAt, clock.now())
    if (!compute || !load) return { kind: 'read', reading }
    const { minCu, maxCu } = compute.config
    const now = (clock.now() - start) / 1000
    const active = Math.min(POOL, Math.ceil(load.sessionsAt(now)))
    return {
      kind: 'read',
      reading: {
        ...reading,
        maxConnections: createPreset('interface').maxConnections({ min: cu(minCu), max: cu(maxCu) }),
        cacheLimit: bytes(Math.round(CACHE_PER_CU * (compute.meter.open?.cu ?? minCu))),
        connections: { active, idle: POOL - active, idleInTransaction: 0, other: 0 },
        usage: {
          sessions: POOL,
          activeTime: millis(
            Math.round(1000 * (load.workUntil(now) - load.workUntil((startedAt - start) / 1000))),
          ),
        },
      },
    }
  }
}

/** Sessions at an instant, and session-seconds until it; both by seconds since the start. */
function worked({ demand, sessionsPerCu }: ComputeLoad) {
  const sums = new Float64Array(demand.length + 1)
  for (const [minute, one] of demand.entries())
    sums[minute + 1] = (sums[minute] ?? 0) + MINUTE * one * sessionsPerCu
  const sessionsAt = (now: number) => (demand[Math.floor(now / MINUTE)] ?? 0) * sessionsPerCu
  return {
    sessionsAt,
    workUntil: (now: number) => {
      const minute = Math.max(0, Math.floor(now / MINUTE))
      return (sums[minute] ?? sums.at(-1) ?? 0) + Math.max(0, now - minute * MINUTE) * sessionsAt(now)
    },
  }
}
