// The quota of a project: computes suspend when it is used up and start again with the next month.
import { expect, test } from 'vitest'
import { calendarMonth } from '../../../../src/local/control/usage/month.ts'
import { createSimulation, type Simulation } from '../../../../src/local/control/simulation/simulation.ts'
import type { Project, Quota } from '../../../../src/local/control/project.ts'
import { START, play, project, settings, sleeping } from '../build.ts'

const DAY = 86_400_000
const client = { kind: 'client', applicationName: 'psql', user: 'app_owner' } as const

function limited(quota: Quota, changes: Partial<Project> = {}): Simulation {
  return createSimulation({
    projects: [project([sleeping({ suspendTimeout: -1, minCu: 2, maxCu: 2 })], { quota, ...changes })],
    from: START,
    settings: () => settings(),
    latencies: { start: 0, stop: 0, configure: 0 },
    activity: new Map([['ep-one', [START]]]),
  })
}

const awake = (simulation: Simulation): unknown =>
  simulation.usages(simulation.now()).map(({ awakeSeconds }) => awakeSeconds)

test.each<[name: string, quota: Quota, seconds: number]>([
  ['active time', { active_time_seconds: 3600 }, 3600],
  ['CU-seconds', { compute_time_seconds: 3600 }, 1800],
  ['the first of both', { active_time_seconds: 3600, compute_time_seconds: 10_000 }, 3600],
])('a compute is suspended at the instant its project has used up %s', (_, quota, seconds) => {
  const simulation = limited(quota)
  simulation.advance(START + DAY)
  expect(awake(simulation)).toEqual([seconds])
})

test.each<Quota>([{}, { active_time_seconds: 0, compute_time_seconds: 0 }, { written_data_bytes: 1 }])(
  'no limit, or one of 0: %o',
  (quota) => {
    const simulation = limited(quota)
    simulation.advance(START + DAY)
    expect(awake(simulation)).toEqual([86_400])
  },
)

test('then no client, request or change starts it; with a larger quota all of them do', () => {
  const simulation = limited({ active_time_seconds: 60 })
  simulation.advance(START + 120_000)
  simulation.connect('ep-one', client)
  const start = simulation.request('project-one', { kind: 'start', endpointId: 'ep-one' })
  expect(start).toMatchObject({
    ok: false,
    refusal: { status: 422, message: expect.stringContaining('quota') },
  })
  simulation.request('project-one', { kind: 'update', endpointId: 'ep-one', changes: { suspendTimeout: 60 } })
  simulation.advance(START + 180_000)
  expect(awake(simulation)).toEqual([60])
  const create = { kind: 'create', endpointId: 'ep-b', branchId: 'br-two', config: {} } as const
  expect(simulation.request('project-one', create)).toMatchObject({ ok: false, refusal: { status: 422 } })
  simulation.request('project-one', { kind: 'update-project', quota: { active_time_seconds: 600 } })
  simulation.connect('ep-one', client)
  simulation.advance(START + 200_000)
  expect(awake(simulation)).toEqual([80])
})

test('a quota below the usage so far suspends awake computes', () => {
  const simulation = limited({})
  simulation.advance(START + 500_000)
  simulation.request('project-one', { kind: 'update-project', quota: { active_time_seconds: 100 } })
  simulation.advance(START + 600_000)
  expect(awake(simulation)).toEqual([500])
})

test('usage is counted anew each month', () => {
  const { to } = calendarMonth(START)
  const simulation = limited({ active_time_seconds: 3600 })
  simulation.advance(to)
  simulation.connect('ep-one', client)
  simulation.advance(to + DAY)
  expect(awake(simulation)).toEqual([7200])
})

test('availability checks wait for the next month while the quota is used up', () => {
  const { to } = calendarMonth(START)
  const used = project([sleeping()], {
    quota: { active_time_seconds: 60 },
    spent: { awakeMs: 60_000, cuMs: 15_000 },
  })
  const checks = { availabilityCheck: { first: 3600, growth: 2 } } as const
  const overdue = play(used, [[7200, { kind: 'time' }]], checks)
  expect([overdue.effects, overdue.wakeAt]).toEqual([[], to])
  const next = play(overdue.project, [[(to - START) / 1000, { kind: 'time' }]], checks)
  expect(next.project.queue.map(({ operation }) => operation.action)).toEqual([
    'check_availability',
    'suspend_compute',
  ])
})

test('months are calendar months in UTC, from 1600 to 2400', () => {
  for (let year = 1600; year <= 2400; year += 1) {
    for (let month = 0; month < 12; month += 1) {
      const [from, to] = [Date.UTC(year, month), Date.UTC(year, month + 1)]
      expect([calendarMonth(from), calendarMonth(to - 1)]).toEqual([
        { from, to },
        { from, to },
      ])
    }
  }
})
