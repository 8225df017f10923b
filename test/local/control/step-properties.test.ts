// Properties of steps under random events.
import fc from 'fast-check'
import { check } from '../../support/property.ts'
import { expect, test } from 'vitest'
import type { Event } from '../../../src/local/control/events.ts'
import type { Project } from '../../../src/local/control/project.ts'
import { play, project } from './build.ts'

const endpointId = 'ep-one'
const client = { kind: 'client', applicationName: 'psql', user: 'app_owner' } as const
const config = fc.record(
  {
    minCu: fc.constantFrom(0.25, 0.5, 1, 0.75),
    maxCu: fc.constantFrom(0.25, 0.5, 1, 11),
    suspendTimeout: fc.constantFrom(-1, 0, 60, 30),
    disabled: fc.boolean(),
  },
  { requiredKeys: [] },
)
const anyId = fc.constantFrom('ep-one', 'ep-two', 'ep-three')
const anyBranchId = fc.constantFrom('br-one', 'br-two', 'br-three')
const name = fc.constantFrom('ann', 'app', 'app_owner', '')
const kinds = <Kind extends string>(...all: Kind[]): fc.Arbitrary<Kind> => fc.constantFrom(...all)

const anyRequest: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: kinds('create'), endpointId: anyId, branchId: anyBranchId, config }),
  fc.record(
    { kind: kinds('update'), endpointId: anyId, changes: config, branchId: anyBranchId },
    { requiredKeys: ['kind', 'endpointId', 'changes'] },
  ),
  fc.record({ kind: kinds('delete', 'start', 'suspend', 'restart'), endpointId: anyId }),
  fc.record({
    kind: kinds('create-branch'),
    branchId: kinds('br-three'),
    parentId: anyBranchId,
    name,
    protected: fc.boolean(),
    computes: fc.array(fc.record({ endpointId: kinds('ep-three'), config }), { maxLength: 1 }),
  }),
  fc.record({ kind: kinds('delete-branch'), branchId: anyBranchId }),
  fc.record({
    kind: kinds('create-role', 'reset-password'),
    branchId: anyBranchId,
    name,
    password: kinds('secret'),
  }),
  fc.record({ kind: kinds('delete-role', 'delete-database'), branchId: anyBranchId, name }),
  fc.record({ kind: kinds('create-database'), branchId: anyBranchId, name, owner: name }),
  fc.record({
    kind: kinds('update-project'),
    quota: fc.record({ active_time_seconds: fc.constantFrom(0, 500) }),
  }),
)
const anyReport: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: kinds('started', 'stopped', 'configured'), endpointId: anyId }),
  fc.record({
    kind: kinds('died', 'start-failed', 'configure-failed'),
    endpointId: anyId,
    message: kinds('why'),
  }),
  fc.record({ kind: kinds('branch-copied', 'branch-removed'), branchId: anyBranchId }),
  fc.record({ kind: kinds('branch-failed'), branchId: anyBranchId, message: kinds('why') }),
  fc.record({ kind: kinds('client-waiting'), endpointId: anyId, cause: fc.constant(client) }),
  fc.constant<Event>({ kind: 'time' }),
  fc.constant<Event>({ kind: 'recovered', resumes: true }),
)
const anyEvent: fc.Arbitrary<Event> = fc.oneof(anyRequest, anyReport)
const story = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 400 }), anyEvent), { maxLength: 60 })
  .map((steps) => {
    let at = 0
    return steps.map(([pause, event]): [number, Event] => [(at += pause), event])
  })

/** Violated invariants of a project; empty for a legal state. */
function faultsOf({ queue, computes, branches }: Project): string[] {
  return [
    ...queue
      .slice(1)
      .flatMap(({ operation }) => (operation.status === 'scheduling' ? [] : ['two run at once'])),
    ...queue
      .slice(0, 1)
      .flatMap(({ operation, isStarted }) =>
        isStarted && operation.status === 'running' ? [] : ['idle head'],
      ),
    ...computes.flatMap(({ state, meter }) =>
      (state === 'active') === (meter.open !== undefined) ? [] : ['meter'],
    ),
    ...computes.flatMap(({ pending }) =>
      pending && queue.length === 0 ? ['pending without operation'] : [],
    ),
    ...computes.flatMap(({ wanted }) => (wanted && queue.length === 0 ? ['a client waits for nothing'] : [])),
    ...computes.flatMap(({ branchId: of }) => (branches.some(({ id }) => id === of) ? [] : ['no branch'])),
    ...branches
      .slice(1)
      .flatMap(({ parentId }) => (branches.some(({ id }) => id === parentId) ? [] : ['no parent'])),
    ...branches.flatMap(({ state }) => (state === 'init' && queue.length === 0 ? ['never ready'] : [])),
    ...branches.flatMap(({ catalogue: { databases, roles } }) =>
      databases.every(({ owner }) => roles.some((role) => role.name === owner)) ? [] : ['no owner'],
    ),
    ...branches.flatMap(({ id }) =>
      computes.filter(({ branchId }) => branchId === id).length > 1 ? ['two primaries'] : [],
    ),
  ]
}

test('random events lead to legal states only', () => {
  check(
    fc.property(story, (events) => {
      for (const { project: state } of play(project(), events).results) expect(faultsOf(state)).toEqual([])
    }),
  )
})

test('awake intervals of a compute never overlap and sum up to its meter', () => {
  check(
    fc.property(story, (events) => {
      const { results } = play(project(), events)
      const intervals = results.flatMap(({ effects }) =>
        effects.flatMap((effect) =>
          effect.kind === 'write-interval' && effect.endpointId === endpointId ? [effect.interval] : [],
        ),
      )
      for (const [at, interval] of intervals.entries()) {
        expect(interval.to).toBeGreaterThanOrEqual(interval.from)
        expect(interval.from).toBeGreaterThanOrEqual(intervals[at - 1]?.to ?? 0)
      }
    }),
  )
})

test('every written operation ends or is in the queue', () => {
  check(
    fc.property(story, (events) => {
      const done = play(project(), events)
      const latest = new Map(
        done.results.flatMap(({ effects }) =>
          effects.flatMap((effect) =>
            effect.kind === 'write-operation' ? [[effect.operation.id, effect.operation] as const] : [],
          ),
        ),
      )
      const open = [...latest.values()].filter(
        ({ status }) => status === 'running' || status === 'scheduling',
      )
      expect(open.map(({ id }) => id).toSorted()).toEqual(
        done.project.queue.map(({ operation }) => operation.id).toSorted(),
      )
    }),
  )
})

test('the same events give the same result, and a refused request changes nothing', () => {
  check(
    fc.property(story, (events) => {
      const once = play(project(), events)
      expect(play(project(), events)).toEqual(once)
      const refused = once.results
        .map(({ answer }, at) => (answer?.ok === false ? at : 0))
        .filter((at) => at > 0)
      for (const at of refused) expect(once.results[at]?.project).toBe(once.results[at - 1]?.project)
    }),
  )
})
