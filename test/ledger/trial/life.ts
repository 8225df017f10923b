// A seeded life of one compute in the simulated service: clients, people who change it, and what the service does by itself.
import { endpointWire, operationWire } from '../../../src/local/api/wire/records.ts'
import type { Request, Settings } from '../../../src/local/control/events.ts'
import { createSimulation, type Simulation } from '../../../src/local/control/simulation/simulation.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import type { Operation } from '../../../src/model/service/operation.ts'
import type { Random } from '../../../src/model/ports/clock.ts'
import { decodeComputes, decodeOperations } from '../../../src/service/wire/decode.ts'
import { project, settings, sleeping, START } from '../../local/control/build.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

export const pick = <Value>(random: Random, values: readonly [Value, ...Value[]]): Value =>
  values[Math.floor(random.unit() * values.length)] ?? values[0]
export const between = (random: Random, low: number, high: number): number =>
  low + random.unit() * (high - low)
export const chance = (random: Random, share: number): boolean => random.unit() < share

export type Life = {
  /** How long it is, ms. */
  readonly length: number
  /** When somebody deletes it, ms after the start, or as soon after as the service lets them; undefined where nobody does. */
  readonly deletedAt: number | undefined
  /** Lets everything happen until `at`, ms after the start; never back. */
  advance(at: number): void
  /** Undefined once it is deleted. */
  record(): Compute | undefined
  /** Every operation so far, oldest first. */
  operations(): readonly Operation[]
  /** Awake ms and CU·ms until `at`. */
  used(at: number): { readonly awake: number; readonly cuTime: number }
}

/** @param hours the longest it is */
export function createLife(random: Random, hours: number): Life {
  const length = Math.round(between(random, hours / 10, hours) * HOUR)
  const behaviour: Settings = settings({
    lastActiveLag: pick(random, [0, 5, 5, 60]),
    patchWakesIdle: chance(random, 0.5),
    wakeCountsAsActivity: chance(random, 0.5),
    availabilityCheck: chance(random, 0.3) ? { first: between(random, 1800, 14_400), growth: 1.5 } : 'off',
  })
  const size = pick(random, [0.25, 1, 2])
  const delay = pick(random, [60, 300, 300, 900, 3600, -1])
  const asleep = sleeping({
    suspendTimeout: delay,
    minCu: size,
    maxCu: chance(random, 0.3) ? 2 * size : size,
  })
  const activity = usesOf(random, length).map((at) => START + at)
  const simulation = createSimulation({
    projects: [project([asleep])],
    from: START,
    settings: () => behaviour,
    latencies: {
      start: Math.round(between(random, 300, 5000)),
      stop: Math.round(between(random, 100, 1000)),
      configure: 100,
    },
    activity: new Map([['ep-one', activity]]),
  })
  const asked = interventions(random, length)
  const deletedAt = deletionOf(random, length, activity)
  const remove = (at: number): void => {
    simulation.advance(START + at)
    simulation.request('project-one', { kind: 'delete', endpointId: 'ep-one' })
  }
  let next = 0
  return {
    length,
    deletedAt,
    advance: (at) => {
      for (let one = asked[next]; one && one.at <= at; one = asked[next]) {
        simulation.advance(START + one.at)
        simulation.request('project-one', one.request)
        next += 1
      }
      // While the service is at work on it, it refuses.
      for (let when = deletedAt ?? at; when < at && isThere(simulation); when += 500) remove(when)
      simulation.advance(START + at)
    },
    record: () => recordOf(simulation, behaviour.lastActiveLag * 1000),
    operations: () => operationsOf(simulation),
    used: (at) => {
      const [account] = simulation.usages(START + at)
      return {
        awake: Math.round((account?.awakeSeconds ?? 0) * 1000),
        cuTime: Math.round((account?.cuSeconds ?? 0) * 1000),
      }
    },
  }
}

const isThere = (simulation: Simulation): boolean =>
  (simulation.project('project-one')?.computes.length ?? 0) > 0

/** At any time, or some seconds after it was used, which may be soon after a start. */
function deletionOf(random: Random, length: number, activity: readonly number[]): number | undefined {
  const [isDeleted, isInUse] = [chance(random, 0.4), chance(random, 0.6)]
  const at = between(random, length / 10, length)
  if (!isDeleted) return undefined
  const used = activity.find((one) => one >= START + at)
  return Math.round(isInUse && used !== undefined ? used - START + between(random, 0, 15_000) : at)
}

/** Bursts of queries with pauses between them, short and long. */
function usesOf(random: Random, length: number): number[] {
  const pause = pick(random, [3, 10, 30, 120]) * MINUTE
  const burst = pick(random, [0, 1, 15]) * MINUTE
  const step = pick(random, [2000, 20_000, 50_000])
  const uses: number[] = []
  for (
    let at = between(random, 10_000, pause);
    at < length;
    at += -Math.log(1 - random.unit()) * pause + 1000
  ) {
    const end = at + burst * random.unit()
    for (; at <= end; at += between(random, step / 10, step)) uses.push(Math.round(at))
  }
  return uses
}

/** What people do to it by hand. */
function interventions(
  random: Random,
  length: number,
): readonly { readonly at: number; readonly request: Request }[] {
  const count = pick(random, [0, 0, 1, 4, 12])
  const times = Array.from({ length: count }, () => Math.round(random.unit() * length))
  return times.toSorted((a, b) => a - b).map((at) => ({ at, request: requestOf(random) }))
}

function requestOf(random: Random): Request {
  const endpointId = 'ep-one'
  const size = pick(random, [0.25, 0.5, 1, 2])
  switch (pick(random, ['size', 'range', 'delay', 'restart', 'suspend', 'start'])) {
    case 'size':
      return { kind: 'update', endpointId, changes: { minCu: size, maxCu: size } }
    case 'range':
      return { kind: 'update', endpointId, changes: { minCu: size, maxCu: size * 2 } }
    case 'delay':
      return { kind: 'update', endpointId, changes: { suspendTimeout: pick(random, [60, 300, 3600, -1]) } }
    case 'restart':
      return { kind: 'restart', endpointId }
    case 'suspend':
      return { kind: 'suspend', endpointId }
    default:
      return { kind: 'start', endpointId }
  }
}

function recordOf(simulation: Simulation, lag: number): Compute | undefined {
  const [compute] = simulation.project('project-one')?.computes ?? []
  if (!compute) return undefined
  const view = { now: simulation.now(), lag, suffix: 'localhost', loopback: false }
  const decoded = decodeComputes({ endpoints: [endpointWire('project-one', compute, view)] })
  const [record] = decoded.ok ? decoded.value.items : []
  if (!record) throw new Error('the record cannot be read')
  return record
}

function operationsOf(simulation: Simulation): readonly Operation[] {
  const all = simulation.operations('project-one', 10_000, undefined) ?? []
  const decoded = decodeOperations({ operations: all.map(operationWire) })
  return decoded.ok ? decoded.value.items.toReversed() : []
}
