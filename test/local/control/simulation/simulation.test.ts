import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../../support/property.ts'
import { lastActivityOf } from '../../../../src/local/control/project.ts'
import { createEventHeap } from '../../../../src/local/control/simulation/event-heap.ts'
import { type Simulation, createSimulation } from '../../../../src/local/control/simulation/simulation.ts'
import { START, project, settings, sleeping } from '../build.ts'

const minutes = (n: number): number => START + n * 60_000

const simulation = (activity: readonly number[]): Simulation =>
  createSimulation({
    projects: [project([sleeping()])],
    from: START,
    settings: () => settings(),
    latencies: { start: 2000, stop: 500, configure: 100 },
    activity: new Map([['ep-one', activity]]),
  })

test('each burst of activity wakes the compute, and five minutes after the last one it sleeps', () => {
  const simulated = simulation([minutes(10), minutes(12), minutes(60)])
  simulated.advance(minutes(120))
  const [account] = simulated.usages(minutes(120))
  expect(account?.intervals).toEqual([
    { from: minutes(10) + 2000, to: minutes(17) + 500, cu: 0.25, branchId: 'br-one' },
    { from: minutes(60) + 2000, to: minutes(65) + 2500, cu: 0.25, branchId: 'br-one' },
  ])
  expect(account?.awakeSeconds).toBe(418.5 + 300.5)
  expect(account?.cuSeconds).toBe((418.5 + 300.5) / 4)
  expect(
    simulated.operations('project-one', 100, undefined)?.map(({ action, status }) => `${action} ${status}`),
  ).toEqual([
    'suspend_compute finished',
    'start_compute finished',
    'suspend_compute finished',
    'start_compute finished',
  ])
})

test('a start that no client waits for is no activity', () => {
  const simulated = createSimulation({
    projects: [project([sleeping()])],
    from: START,
    settings: () => settings({ availabilityCheck: { first: 3600, growth: 2 } }),
    latencies: { start: 2000, stop: 500, configure: 100 },
    activity: new Map([['ep-one', [minutes(10)]]]),
  })
  const restart = { kind: 'restart', endpointId: 'ep-one' } as const
  simulated.advance(minutes(12))
  expect(simulated.request('project-one', restart)?.ok).toBe(true)
  simulated.advance(minutes(180))
  const operations = simulated.operations('project-one', 100, undefined) ?? []
  expect(operations.filter(({ action }) => action === 'start_compute')).toHaveLength(2)
  expect(operations.map(({ action }) => action)).toContain('check_availability')
  const [compute] = simulated.project('project-one')?.computes ?? []
  expect(compute && lastActivityOf(compute.activity)).toBe(minutes(10) + 2000)
})

test('the usage as of an earlier instant is what it was then', () => {
  const activity = [minutes(10), minutes(60)]
  const whole = simulation(activity)
  whole.advance(minutes(120))
  const half = simulation(activity)
  half.advance(minutes(12))
  expect(whole.usages(minutes(12))).toEqual(half.usages(minutes(12)))
})

test('a request applies at its instant, and a deleted compute keeps its usage', () => {
  const simulated = simulation([minutes(10)])
  simulated.advance(minutes(11))
  const asked = { kind: 'delete', endpointId: 'ep-one' } as const
  expect(simulated.request('project-one', asked)?.ok).toBe(true)
  simulated.advance(minutes(60))
  expect(simulated.request('project-one', asked)).toMatchObject({ ok: false, refusal: { status: 404 } })
  expect(simulated.usages(simulated.now())[0]?.awakeSeconds).toBe(58)
  expect(simulated.project('project-one')?.spent.awakeMs).toBe(58_000)
})

test('the number of steps by which time advances makes no difference', () => {
  const instants = fc.array(fc.integer({ min: 0, max: 86_400_000 }), { maxLength: 40 })
  check(
    fc.property(instants, instants, (offsets, stops) => {
      const activity = offsets.map((offset) => START + offset).toSorted((a, b) => a - b)
      const end = START + 90_000_000
      const once = simulation(activity)
      once.advance(end)
      const often = simulation(activity)
      for (const stop of stops.toSorted((a, b) => a - b)) often.advance(START + stop)
      often.advance(end)
      expect(often.usages(end)).toEqual(once.usages(end))
      expect(often.operations('project-one', 999, undefined)).toEqual(
        once.operations('project-one', 999, undefined),
      )
    }),
  )
})

test('the cost of 10,000 projects depends on their events, not on their number', () => {
  const projects = Array.from({ length: 10_000 }, (_, n) => ({
    ...project([{ ...sleeping(), id: `ep-${n}` }]),
    id: `project-${n}`,
  }))
  const simulated = createSimulation({
    projects,
    from: START,
    settings: () => settings(),
    latencies: { start: 2000, stop: 500, configure: 100 },
    activity: new Map(projects.map((_, n) => [`ep-${n}`, n % 50 === 0 ? [minutes(n % 60)] : []])),
  })
  simulated.advance(minutes(24 * 60))
  expect(simulated.usages(minutes(24 * 60))).toHaveLength(200)
})

test('a heap returns events by time, those of one instant in the order they were added', () => {
  check(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (instants) => {
      const agenda = createEventHeap<number>()
      for (const [number, at] of instants.entries()) agenda.add(at, number)
      const taken = instants.map(() => agenda.take(Infinity)?.item)
      const expected = instants
        .map((at, number) => ({ at, number }))
        .toSorted((a, b) => a.at - b.at || a.number - b.number)
      expect(taken).toEqual(expected.map(({ number }) => number))
      expect(agenda.take(Infinity)).toBeUndefined()
    }),
  )
})
