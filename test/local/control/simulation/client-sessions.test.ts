// Client sessions of simulated computes: what a stop ends, and what keeps a compute awake.
import { describe, expect, test } from 'vitest'
import type { Request } from '../../../../src/local/control/events.ts'
import type { QuerySession } from '../../../../src/local/control/simulation/client-sessions.ts'
import {
  type SimulatedEvent,
  type Simulation,
  createSimulation,
} from '../../../../src/local/control/simulation/simulation.ts'
import { START, project, settings, sleeping } from '../build.ts'

const endpointId = 'ep-one'
const at = (second: number): number => START + 1000 * second

/** A query of a client at a second after START. */
const query = (second: number, session?: QuerySession): SimulatedEvent => ({
  at: at(second),
  kind: 'connect',
  endpointId,
  ...(session && { session }),
})

const request = (second: number, asked: Request): SimulatedEvent => ({
  at: at(second),
  kind: 'request',
  projectId: 'project-one',
  request: asked,
})

/** Until the hour; a start takes 2 s. */
function hourOf(...events: readonly SimulatedEvent[]): Simulation {
  const simulation = createSimulation({
    projects: [project([sleeping()])],
    from: START,
    settings: () => settings(),
    latencies: { start: 2000, stop: 500, configure: 100 },
    scripts: [events],
  })
  simulation.advance(at(3600))
  return simulation
}

const stopsOf = (simulation: Simulation) => simulation.usages(at(3600)).flatMap(({ stops }) => stops)
const awakeOf = (simulation: Simulation) =>
  simulation
    .usages(at(3600))
    .flatMap(({ intervals }) => intervals)
    .map(({ from, to }) => [from - START, (to ?? Infinity) - START])

const restart = request(60, { kind: 'restart', endpointId })
const resize = request(60, { kind: 'update', endpointId, changes: { maxCu: 2 } })

describe('a stop counts', () => {
  test.each<readonly [string, SimulatedEvent, readonly SimulatedEvent[], object]>([
    ['nobody who left', restart, [query(40)], { open: 0, openPooled: 0, working: 0 }],
    ['a client of a few seconds ago', restart, [query(55)], { open: 1, openPooled: 0, working: 0 }],
    ['a client that stays', resize, [query(0, { stays: 3_000_000 })], { open: 1, openPooled: 0, working: 0 }],
    [
      'each client once',
      restart,
      [query(50, { client: 'a' }), query(51, { client: 'b', pooled: true }), query(52, { client: 'a' })],
      { open: 2, openPooled: 1, working: 0 },
    ],
    [
      'a client inside a statement',
      resize,
      [query(5, { works: 100_000 })],
      { open: 1, openPooled: 0, working: 1 },
    ],
  ])('%s', (_, change, queries, sessions) => {
    const why = change === restart ? 'restart-call' : 'config'
    // the change of the configuration comes first
    const stoppedAt = change === restart ? at(60) : at(60.1)
    expect(stopsOf(hourOf(...queries, change))[0]).toEqual({ at: stoppedAt, why, ...sessions })
  })

  test('the clients of a deleted compute', () => {
    const deleted = hourOf(query(55), request(60, { kind: 'delete', endpointId }))
    expect(stopsOf(deleted)).toEqual([{ at: at(60), why: 'deleted', open: 1, openPooled: 0, working: 0 }])
  })

  test('an interrupted client again once it is back', () => {
    const session = { client: 'a', stays: 1_000_000 }
    const twice = hourOf(
      query(5, session),
      restart,
      request(120, { kind: 'restart', endpointId }),
      query(150, session),
      request(180, { kind: 'restart', endpointId }),
    )
    const restarts = stopsOf(twice).filter(({ why }) => why === 'restart-call')
    expect(restarts.map(({ open }) => open)).toEqual([1, 0, 1])
  })

  test('a client that waits for a wake as soon as it is served', () => {
    // waits from 60.5, when the server of the restart stops, until 62.6
    const waited = hourOf(
      query(5),
      restart,
      query(61, { client: 'b' }),
      request(65, { kind: 'suspend', endpointId }),
    )
    expect(stopsOf(waited).map(({ why, open }) => [why, open])).toEqual([
      ['restart-call', 0],
      ['suspend-call', 1],
    ])
  })
})

test('an idle session does not keep the compute awake, and the suspension ends it', () => {
  const simulation = hourOf(query(0, { stays: 10_000_000 }))
  expect(awakeOf(simulation)).toEqual([[2000, 302_500]])
  expect(stopsOf(simulation)).toEqual([
    { at: at(302), why: 'autosuspend', open: 1, openPooled: 0, working: 0 },
  ])
})

test('a statement keeps the compute awake until it ends, and for the delay after that', () => {
  const simulation = hourOf(query(0, { works: 1_000_000 }))
  expect(awakeOf(simulation)).toEqual([[2000, 1_302_500]])
  expect(stopsOf(simulation).map(({ open }) => open)).toEqual([0])
})

test('a statement that was interrupted is no activity later', () => {
  const simulation = hourOf(query(0, { works: 200_000 }), restart)
  expect(awakeOf(simulation)).toEqual([
    [2000, 60_500],
    [62_500, 362_500 + 500],
  ])
})

test('equal values that are sent twice are two mutations', () => {
  const equal = { kind: 'update', endpointId, changes: { minCu: 0.25 } } as const
  const [use] = hourOf(query(0), request(60, equal), request(120, equal)).usages(at(3600))
  expect(use?.mutations.map((mutation) => mutation.at)).toEqual([at(60), at(120)])
  expect(use?.stops.map(({ why }) => why)).toEqual(['autosuspend'])
})

test('the newest ten thousand stops and mutations of a compute stay', () => {
  const restarts = Array.from({ length: 10_001 }, (_, n) =>
    request(60 + n / 4, { kind: 'restart', endpointId }),
  )
  const simulation = createSimulation({
    projects: [project([sleeping()])],
    from: START,
    settings: () => settings(),
    latencies: { start: 0, stop: 0, configure: 0 },
    scripts: [[query(0), ...restarts]],
  })
  simulation.advance(at(3600))
  const [use] = simulation.usages(at(3600))
  expect([use?.stops.length, use?.mutations.length]).toEqual([10_000, 10_000])
  expect(use?.mutations[0]?.at).toBe(at(60.25))
})
