// Stops and mutations, as the control plane records them.
import { describe, expect, test } from 'vitest'
import type { Event, Settings, StepResult } from '../../../src/local/control/events.ts'
import type { Compute } from '../../../src/local/control/project.ts'
import type { Mutation, Stop } from '../../../src/local/control/records.ts'
import { step } from '../../../src/local/control/step.ts'
import { START, compute, context, play, project, sleeping } from './build.ts'

const endpointId = 'ep-one'
const stopped: Event = { kind: 'stopped', endpointId }
const configured: Event = { kind: 'configured', endpointId }
const started: Event = { kind: 'started', endpointId }

const stopsIn = (results: readonly StepResult[]): readonly Stop[] =>
  results
    .flatMap(({ effects }) => effects)
    .flatMap((effect) => (effect.kind === 'write-stop' ? [effect.stop] : []))

const mutationsIn = (
  results: readonly StepResult[],
): readonly (Mutation & { readonly endpointId: string })[] =>
  results
    .flatMap(({ effects }) => effects)
    .flatMap((effect) =>
      effect.kind === 'write-mutation' ? [{ endpointId: effect.endpointId, ...effect.mutation }] : [],
    )

describe('a stop says why', () => {
  test.each<readonly [Stop['why'], Compute, readonly (readonly [number, Event])[]]>([
    [
      'autosuspend',
      compute(),
      [
        [300, { kind: 'time' }],
        [301, stopped],
      ],
    ],
    [
      'suspend-call',
      compute(),
      [
        [1, { kind: 'suspend', endpointId }],
        [2, stopped],
      ],
    ],
    [
      'restart-call',
      compute(),
      [
        [1, { kind: 'restart', endpointId }],
        [2, stopped],
        [3, started],
      ],
    ],
    [
      'config',
      compute(),
      [
        [1, { kind: 'update', endpointId, changes: { maxCu: 1 } }],
        [2, configured],
        [3, stopped],
      ],
    ],
    [
      'config',
      sleeping(),
      [
        [1, { kind: 'update', endpointId, changes: { maxCu: 1 } }],
        [2, started],
        [3, stopped],
      ],
    ],
    [
      'disabled',
      compute(),
      [
        [1, { kind: 'update', endpointId, changes: { disabled: true } }],
        [2, configured],
        [3, stopped],
      ],
    ],
    [
      'deleted',
      compute(),
      [
        [1, { kind: 'delete', endpointId }],
        [2, stopped],
      ],
    ],
    ['deleted', compute(), [[1, { kind: 'delete-project' }]]],
    ['crash', compute(), [[1, { kind: 'died', endpointId, message: 'killed' }]]],
    [
      'crash',
      compute(),
      [
        [1, { kind: 'suspend', endpointId }],
        [2, { kind: 'died', endpointId, message: 'killed' }],
        [3, stopped],
      ],
    ],
    ['crash', compute(), [[1, { kind: 'recovered', resumes: true }]]],
  ])('%s (%#)', (why, before, events) => {
    const { results } = play(project([before]), events)
    expect(stopsIn(results).map((stop) => stop.why)).toEqual([why])
  })

  test('the end of an availability check', () => {
    const events = [
      [100, { kind: 'time' }],
      [101, started],
      [102, stopped],
    ] as const
    const { results } = play(project([sleeping()]), events, { availabilityCheck: { first: 100, growth: 2 } })
    expect(stopsIn(results).map(({ why }) => why)).toEqual(['autosuspend'])
  })

  test('quota', () => {
    const before = project([compute({}, { suspendTimeout: -1 })], { quota: { active_time_seconds: 60 } })
    const { results } = play(before, [
      [60, { kind: 'time' }],
      [61, stopped],
    ])
    expect(stopsIn(results).map(({ why }) => why)).toEqual(['quota'])
  })
})

test('a stop has the sessions that the shell counted, else those that are open now', () => {
  const sessions = { at: START + 1500, open: 3, openPooled: 2, working: 1 }
  const suspended = play(project(), [
    [1, { kind: 'suspend', endpointId }],
    [2, { kind: 'stopped', endpointId, sessions }],
  ])
  expect(stopsIn(suspended.results)).toEqual([{ why: 'suspend-call', ...sessions }])
  const open = { open: 2, openPooled: 1, working: 0 }
  const deleted = step(project(), { kind: 'delete', endpointId }, { ...context(7), sessions: () => open })
  expect(stopsIn([deleted])).toEqual([{ why: 'deleted', at: START + 7000, ...open }])
})

const SAME = { minCu: 0.25, maxCu: 0.25 }
const SENT = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 0.25 }
const update: Event = { kind: 'update', endpointId, changes: SAME }

describe('an accepted mutation is recorded as it was sent', () => {
  test.each<readonly [string, Compute, Event, Partial<Settings>, Omit<Mutation, 'at'>]>([
    ['equal values', compute(), update, {}, { action: 'update', fields: SENT, restarted: false }],
    [
      'equal values that restart',
      compute(),
      update,
      { patchEqualRestarts: true },
      { action: 'update', fields: SENT, restarted: true },
    ],
    [
      'a new size, whose restart is listed',
      compute(),
      { kind: 'update', endpointId, changes: { maxCu: 2 } },
      { patchListsStart: true },
      { action: 'update', fields: { autoscaling_limit_max_cu: 2 }, restarted: true },
    ],
    [
      'a change of an idle compute',
      sleeping(),
      { kind: 'update', endpointId, changes: { maxCu: 2, pgSettings: { work_mem: '8MB' } } },
      {},
      {
        action: 'update',
        fields: { autoscaling_limit_max_cu: 2, settings: { pg_settings: { work_mem: '8MB' } } },
        restarted: false,
      },
    ],
    [
      'a delay that is raised, and a branch',
      compute(),
      { kind: 'update', endpointId, changes: { suspendTimeout: 5 }, branchId: 'br-one' },
      { delayBelowMinimum: 'raised' },
      { action: 'update', fields: { suspend_timeout_seconds: 5, branch_id: 'br-one' }, restarted: false },
    ],
    [
      'a restart',
      compute(),
      { kind: 'restart', endpointId },
      {},
      { action: 'restart', fields: {}, restarted: true },
    ],
    [
      'a start of an active compute',
      compute(),
      { kind: 'start', endpointId },
      {},
      { action: 'start', fields: {}, restarted: false },
    ],
    [
      'a suspension',
      compute(),
      { kind: 'suspend', endpointId },
      {},
      { action: 'suspend', fields: {}, restarted: false },
    ],
    [
      'a deletion',
      compute(),
      { kind: 'delete', endpointId },
      {},
      { action: 'delete', fields: {}, restarted: false },
    ],
  ])('%s', (_, before, request, changes, mutation) => {
    const { results } = play(project([before]), [[9, request]], changes)
    expect(mutationsIn(results)).toEqual([{ endpointId, at: START + 9000, ...mutation }])
  })

  test('computes made and deleted with their branch', () => {
    const config = { suspendTimeout: 60 }
    const computes = [{ endpointId: 'ep-two', config }]
    const branch = { branchId: 'br-new', name: 'new', protected: false, parentId: undefined, computes }
    const made = step(project(), { kind: 'create-branch', ...branch }, context(1))
    const fields = { type: 'read_write', branch_id: 'br-new', suspend_timeout_seconds: 60 }
    const creation = { endpointId: 'ep-two', at: START + 1000, action: 'create', fields, restarted: false }
    expect(mutationsIn([made])).toEqual([creation])
    const quiet = { ...made.project, queue: [] }
    const deleted = step(quiet, { kind: 'delete-branch', branchId: 'br-new' }, context(2))
    expect(mutationsIn([deleted]).map(({ action }) => action)).toEqual(['delete'])
  })

  test.each<readonly [string, Event]>([
    ['a request that is refused', { kind: 'update', endpointId, changes: { minCu: 0.3 } }],
    ['a read that wakes', { kind: 'start', endpointId, byRead: true }],
    ['a change of the project', { kind: 'update-project', name: 'other' }],
  ])('not: %s', (_, request) => {
    expect(mutationsIn(play(project([sleeping()]), [[1, request]]).results)).toEqual([])
  })

  test.each([false, true])(
    'twice when it is sent twice, whether equal values restart or not: %o',
    (patchEqualRestarts) => {
      const events = [
        [1, update],
        [2, configured],
        ...(patchEqualRestarts
          ? ([
              [3, stopped],
              [4, started],
            ] as const)
          : []),
        [5, update],
      ] as const
      const { results } = play(project(), events, { patchEqualRestarts })
      expect(mutationsIn(results).map(({ at }) => at)).toEqual([START + 1000, START + 5000])
    },
  )
})
