// Consistency of a generated history: records, operations, intervals and counters agree.
import { expect, test } from 'vitest'
import { type UseRecord, usageAt, sumUsage } from '../../../src/local/control/usage/usage.ts'
import { type Compute, type Operation, lastActivityOf } from '../../../src/local/control/project.ts'
import { totalUsage } from '../../../src/local/control/usage/quota.ts'
import { createSimulation } from '../../../src/local/control/simulation/simulation.ts'
import { DEFAULT_BEHAVIOUR } from '../../../src/local/control/behaviour.ts'
import type { HistoryOptions } from '../../../src/local/history/project-life.ts'
import {
  type GeneratedProject,
  HISTORY_BEHAVIOUR,
  generateProjects,
} from '../../../src/local/history/generate.ts'
import { projectLives } from '../../support/simulated-service.ts'
import { DAY, NOW, past } from './build.ts'
import { longTest } from '../../support/tiers.ts'

const lived = [...generateProjects(past())]

longTest('the same seed and end give the same history, another seed another one', () => {
  expect([...generateProjects(past())]).toEqual(lived)
  const other = [...generateProjects(past({ seed: 8 }))]
  expect(other.map(({ project }) => project.id)).not.toEqual(lived.map(({ project }) => project.id))
})

test('a history keeps to what its plan allows', () => {
  const launched = [...generateProjects(past({ plan: 'launch', preset: '2026-03' }))]
  const delays = launched.flatMap(({ project }) =>
    project.computes.map(({ config }) => config.suspendTimeout),
  )
  expect(new Set(delays).difference(new Set([0, 300, -1]))).toEqual(new Set())
  expect(delays).toContain(-1)
})

const SIZED = { minCu: 2, maxCu: 2, suspendTimeout: 0 }

test('chosen projects have the name, size, delay and beginning that was chosen; the others are as without them', () => {
  const chosen = [
    { name: 'mailer', kind: 'timer', ...SIZED, days: 7 },
    { name: 'archive', kind: 'idle', ...SIZED, suspendTimeout: -1 },
  ] as const
  const [mailer, archive, drawn] = generateProjects(past({ projects: 3, chosen }))
  expect(mailer?.project).toMatchObject({
    name: 'mailer',
    createdAt: NOW - 7 * DAY,
    computes: [{ config: SIZED }],
  })
  expect(mailer?.uses[0]?.wakes.length).toBeGreaterThan(5 * 60)
  expect(archive?.project).toMatchObject({ createdAt: NOW - 30 * DAY, computes: [{ state: 'active' }] })
  expect(archive?.uses[0]?.wakes).toHaveLength(1)
  expect(drawn).toEqual(lived[2])
})

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

test('a project of daily previews gets a branch on each working day', () => {
  const chosen = [{ name: 'website', kind: 'daily-preview', ...SIZED }] as const
  const [website] = generateProjects(past({ projects: 1, chosen }))
  const created = website?.operations.filter(({ action }) => action === 'create_branch') ?? []
  const working = Array.from({ length: 30 }, (_, day) => NOW - (29 - day) * DAY).filter(
    (at) => new Date(at).getUTCDay() % 6 !== 0,
  )
  // the last branch may come later that day
  expect(created.map(({ createdAt }) => dayOf(createdAt)).slice(0, 20)).toEqual(
    working.map(dayOf).slice(0, 20),
  )
})

test('a project does not depend on the number of projects, and projects are generated lazily', () => {
  const [first] = generateProjects(past({ projects: 1_000_000 }))
  expect(first).toEqual(lived[0])
})

longTest('projects simulated one by one equal projects simulated together', () => {
  const options = past({ projects: 9 })
  const simulation = createSimulation({
    projects: [],
    from: options.from,
    settings: () => ({
      ...DEFAULT_BEHAVIOUR,
      ...HISTORY_BEHAVIOUR,
      faults: { ...DEFAULT_BEHAVIOUR.faults, ...HISTORY_BEHAVIOUR.faults },
      plan: options.plan,
      preset: options.preset,
    }),
    activity: new Map(),
    ...projectLives(options),
  })
  simulation.advance(options.to)
  for (const { project, operations } of generateProjects(options)) {
    expect(simulation.project(project.id)).toEqual(project)
    expect(simulation.operations(project.id, Infinity, undefined)?.toReversed()).toEqual(operations)
  }
})

/** Actions that make a compute active. */
const WAKES = new Set(['start_compute', 'check_availability', 'apply_config'])

type Edge = { readonly at: number; readonly kind: 'wake' | 'sleep' }

/** Wakes and suspensions of a compute, from its finished operations in order. */
function edgesIn(operations: readonly Operation[], endpointId: string): Edge[] {
  const edges: Edge[] = []
  for (const { action, status, updatedAt, endpointId: id } of operations) {
    if (id !== endpointId || status !== 'finished') continue
    const isAwake = edges.at(-1)?.kind === 'wake'
    if (WAKES.has(action) && !isAwake) edges.push({ at: updatedAt, kind: 'wake' })
    if (action === 'suspend_compute' && isAwake) edges.push({ at: updatedAt, kind: 'sleep' })
  }
  return edges
}

const awakeIn = (edges: readonly Edge[], until: number): number =>
  edges.reduce((sum, { at, kind }) => sum + (kind === 'wake' ? until - at : at - until), 0)

test.each(lived.map((generated) => [generated.project.name, generated] as const))(
  'the operations of %s give the awake time of its computes to the millisecond',
  (_, { project, operations, uses }) => {
    for (const compute of project.computes) {
      const record = uses.find(({ endpointId }) => endpointId === compute.id)
      const truth = record && usageAt(record, NOW)
      const edges = edgesIn(operations, compute.id)
      expect(awakeIn(edges, NOW)).toBe(Math.round(1000 * (truth?.awakeSeconds ?? 0)))
      expect(edges.filter(({ kind }) => kind === 'wake').length).toBe(truth?.wakes.length ?? 0)
      expect(edges.filter(({ kind }) => kind === 'sleep').length).toBe(truth?.suspends ?? 0)
    }
  },
)

type AwakeState = Readonly<
  Record<'startedAt' | 'suspendedAt' | 'openSince' | 'awakeMs' | 'cuMs', number | undefined>
>

/** Awake state and counters of a record. `suspendedAt` of an active compute is left out. */
const awakeStateOf = ({
  state,
  startedAt,
  suspendedAt,
  meter: { open, awakeMs, cuMs },
}: Compute): AwakeState => ({
  startedAt,
  suspendedAt: state === 'idle' ? suspendedAt : undefined,
  openSince: open?.from,
  awakeMs,
  cuMs,
})

/** The same from the stored intervals; zero for a compute that was never started. */
const expectedAwakeState = (use: UseRecord | undefined, state: Compute['state']): AwakeState => ({
  startedAt: use?.wakes.at(-1)?.at,
  suspendedAt: state === 'idle' ? use?.intervals.at(-1)?.to : undefined,
  openSince: use?.open?.from,
  ...sumUsage(use?.intervals ?? []),
})

test.each(lived.map((generated) => [generated.project.name, generated] as const))(
  'the records and counters of %s are those of its intervals',
  (_, { project, uses }) => {
    for (const compute of project.computes) {
      const use = uses.find(({ endpointId }) => endpointId === compute.id)
      expect(awakeStateOf(compute)).toEqual(expectedAwakeState(use, compute.state))
      expect(lastActivityOf(compute.activity) ?? 0).toBeLessThanOrEqual(NOW)
    }
    const awake = uses.reduce((sum, use) => sum + 1000 * usageAt(use, NOW).awakeSeconds, 0)
    expect(totalUsage(project, NOW).awakeMs).toBeCloseTo(awake, 3)
  },
)

test('awake intervals lie in the history, in order, and do not overlap', () => {
  const { from } = past()
  for (const { uses } of lived)
    for (const { intervals } of uses) {
      expect(intervals.every((each) => each.from >= from && each.to <= NOW && each.from <= each.to)).toBe(
        true,
      )
      expect(intervals.every(({ to }, at) => to <= (intervals[at + 1]?.from ?? Infinity))).toBe(true)
    }
})

test('operations are stored in order of creation, each once; only the queue of the project is open', () => {
  for (const { project, operations } of lived) {
    expect(operations.toSorted((a, b) => a.createdAt - b.createdAt)).toEqual(operations)
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
    const open = operations.filter(({ status }) => ['scheduling', 'running', 'failed'].includes(status))
    expect(open.map(({ id }) => id)).toEqual(project.queue.map(({ operation }) => operation.id))
  }
})

/** Counts of names over all projects of a history. */
const counted = (
  options: HistoryOptions,
  namesOf: (generated: GeneratedProject) => Iterable<string>,
): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const generated of generateProjects(options))
    for (const name of namesOf(generated)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

longTest('a history holds every kind of operation, wake, size and delay', () => {
  const kinds = counted(past({ projects: 60 }), ({ project, operations, uses }) => [
    ...operations.map(({ action }) => action),
    ...operations.filter(({ failures }) => failures > 0).map(() => 'failed at first'),
    ...operations.filter(({ status }) => status === 'error').map(() => 'failed for good'),
    ...uses.flatMap(({ wakes }) => wakes.map(({ cause }) => `woken by ${cause.kind}`)),
    ...uses
      .filter(({ endpointId }) => !project.computes.some(({ id }) => id === endpointId))
      .map(() => 'deleted'),
    ...project.computes.map(
      ({ type, config }) => `${type} ${config.minCu < config.maxCu ? 'range' : 'fixed'}`,
    ),
    ...project.computes.map(
      ({ config }) => `delay ${config.suspendTimeout === 0 ? 'default' : config.suspendTimeout}`,
    ),
    ...(project.computes.length > 1 ? ['several computes'] : []),
    ...(project.createdAt > NOW - 20 * DAY ? ['young'] : ['old']),
  ])
  const expected =
    `start_compute, suspend_compute, apply_config, check_availability, create_branch, delete_timeline,
    failed at first, failed for good, deleted, several computes, young, old,
    woken by client, woken by create, woken by check, woken by config, woken by api,
    read_write range, read_write fixed, read_only fixed, delay default, delay -1, delay 60`.split(/,\s+/)
  expect(expected.filter((name) => !kinds.has(name))).toEqual([])
})

test('the free plan has one size, one delay and no replicas', () => {
  const kinds = counted(past({ plan: 'free', projects: 30 }), ({ project }) =>
    project.computes.map(({ type, config: { minCu, maxCu, suspendTimeout } }) =>
      [type, minCu, maxCu, suspendTimeout].join(' '),
    ),
  )
  expect([...kinds.keys()]).toEqual(['read_write 0.25 0.25 0'])
})
