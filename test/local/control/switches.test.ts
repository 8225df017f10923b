// Positions of the switches of control/ (service-facts 12).
import { describe, expect, test } from 'vitest'
import type { Answer, Event, Settings, StepResult } from '../../../src/local/control/events.ts'
import { type ComputeConfig, lastActivityOf, publishedActivity } from '../../../src/local/control/project.ts'
import { step } from '../../../src/local/control/step.ts'
import { START, compute, context, play, project, settings, sleeping } from './build.ts'

const endpointId = 'ep-one'
const client = { kind: 'client', applicationName: 'psql', user: 'app_owner' } as const
const update = (changes: Partial<ComputeConfig>): Event => ({ kind: 'update', endpointId, changes })
const { errors } = settings()

const outcomeOf = (answer: Answer | undefined): unknown =>
  answer?.ok ? answer.operations.map(({ action, status }) => `${action} ${status}`) : answer?.refusal.status

const first = ({ project: { computes } }: StepResult): (typeof computes)[number] => {
  if (!computes[0]) throw new Error('there is no compute')
  return computes[0]
}

type Case = readonly [name: string, changes: Partial<Settings>, expected: unknown]

describe('Q-01 patchWakesIdle: a change to an idle compute', () => {
  test.each<Case>([
    ['wakes it', { patchWakesIdle: true }, ['apply_config running', 'suspend_compute scheduling']],
    ['only changes it', { patchWakesIdle: false }, []],
  ])('%s', (_, changes, expected) => {
    const result = step(project([sleeping()]), update({ suspendTimeout: 60 }), context(1, changes))
    expect(outcomeOf(result.answer)).toEqual(expected)
    expect(first(result).config.suspendTimeout).toBe(60)
  })
})

describe('Q-02 patchEqualRestarts: the size it has, sent again,', () => {
  test.each<Case>([
    ['restarts nothing', { patchEqualRestarts: false }, undefined],
    ['restarts', { patchEqualRestarts: true }, 'idle'],
  ])('%s', (_, changes, pending) => {
    expect(first(step(project(), update({ minCu: 0.25, maxCu: 0.25 }), context(1, changes))).pending).toBe(
      pending,
    )
    expect(first(step(project(), update({ suspendTimeout: 0 }), context(1, changes))).pending).toBeUndefined()
  })
})

describe('Q-03 patchListsStart: the start of the restart is', () => {
  const size: readonly (readonly [number, Event])[] = [
    [1, update({ minCu: 1, maxCu: 1 })],
    [2, { kind: 'configured', endpointId }],
    [3, { kind: 'stopped', endpointId }],
    [4, { kind: 'started', endpointId }],
  ]
  test.each<Case>([
    ['appended later', { patchListsStart: false }, ['apply_config running', 'suspend_compute scheduling']],
    [
      'in the answer',
      { patchListsStart: true },
      ['apply_config running', 'suspend_compute scheduling', 'start_compute scheduling'],
    ],
  ])('%s', (_, changes, expected) => {
    const done = play(project(), size, changes)
    expect(outcomeOf(done.results[0]?.answer)).toEqual(expected)
    expect([first(done).state, done.project.queue]).toEqual(['active', []])
  })
})

test.each([0, 1, 5, 120])(
  'Q-04 lastActiveLag: an activity is published %i seconds later',
  (lastActiveLag) => {
    const at = START + 10_000
    const seen = first(play(project(), [[10, { kind: 'activity', endpointId, at }]], { lastActiveLag }))
    const lag = 1000 * lastActiveLag
    expect(publishedActivity(seen.activity, at + lag, lag)).toBe(at)
    expect(publishedActivity(seen.activity, at + lag - 1, lag)).toBe(START)
  },
)

describe('Q-07 errors.restartIdle: a restart of an idle compute', () => {
  test.each<Case>([
    ['is a 422', { errors: { ...errors, restartIdle: 422 } }, 422],
    ['is a 423', { errors: { ...errors, restartIdle: 423 } }, 423],
    ['starts it', { errors: { ...errors, restartIdle: 'starts' } }, ['start_compute running']],
  ])('%s', (_, changes, expected) => {
    const { answer } = step(project([sleeping()]), { kind: 'restart', endpointId }, context(1, changes))
    expect(outcomeOf(answer)).toEqual(expected)
  })
})

describe('Q-08 errors.duplicatePrimary: a second primary is', () => {
  test.each([409, 422] as const)('a %i', (duplicatePrimary) => {
    const changes = { errors: { ...errors, duplicatePrimary } }
    const create: Event = { kind: 'create', endpointId: 'ep-b', branchId: 'br-one', config: {} }
    const move: Event = { kind: 'update', endpointId: 'ep-b', changes: {}, branchId: 'br-one' }
    const two = project([compute(), { ...sleeping(), id: 'ep-b', branchId: 'br-two' }])
    expect(outcomeOf(step(project(), create, context(1, changes)).answer)).toBe(duplicatePrimary)
    expect(outcomeOf(step(two, move, context(1, changes)).answer)).toBe(duplicatePrimary)
  })
})

describe('Q-10 errors.quota: a start after the quota is used up is', () => {
  test.each([422, 423, 403] as const)('a %i', (quota) => {
    const spent = project([sleeping()], {
      quota: { active_time_seconds: 10 },
      spent: { awakeMs: 10_000, cuMs: 2500 },
    })
    const { answer } = step(
      spent,
      { kind: 'start', endpointId },
      context(1, { errors: { ...errors, quota } }),
    )
    expect(outcomeOf(answer)).toBe(quota)
  })
})

describe('Q-12 delayBelowMinimum: a delay of 30 s is', () => {
  test.each<Case>([
    ['refused', { delayBelowMinimum: 'refused' }, [400, 0]],
    ['accepted', { delayBelowMinimum: 'accepted' }, [expect.any(Array), 30]],
    ['raised to 60', { delayBelowMinimum: 'raised' }, [expect.any(Array), 60]],
  ])('%s', (_, changes, expected) => {
    const result = step(project(), update({ suspendTimeout: 30 }), context(1, changes))
    expect([outcomeOf(result.answer), first(result).config.suspendTimeout]).toEqual(expected)
    const create: Event = {
      kind: 'create',
      endpointId: 'ep-b',
      branchId: 'br-two',
      config: { suspendTimeout: 30 },
    }
    const created = step(project(), create, context(1, changes))
    expect(created.project.computes[1]?.config.suspendTimeout ?? 0).toBe(first(result).config.suspendTimeout)
  })
})

describe('Q-16 availabilityCheck', () => {
  test('off: an idle compute sleeps for ever', () => {
    expect(play(project([sleeping()]), [[1, { kind: 'time' }]]).wakeAt).toBeUndefined()
  })

  test('wakes an idle compute for a moment, less and less often', () => {
    const changes = { availabilityCheck: { first: 100, growth: 2 } } as const
    const cycle = (at: number): (readonly [number, Event])[] => [
      [at, { kind: 'time' }],
      [at, { kind: 'started', endpointId }],
      [at, { kind: 'stopped', endpointId }],
    ]
    const done = play(project([sleeping()]), [...cycle(100), ...cycle(300)], changes)
    expect(done.results.map(({ wakeAt }) => wakeAt).filter(Boolean)).toEqual([
      START + 300_000,
      START + 700_000,
    ])
    const written = done.results.flatMap(({ effects }) =>
      effects.flatMap((effect) => (effect.kind === 'write-wake' ? [effect.wake.cause.kind] : [])),
    )
    expect(written).toEqual(['check', 'check'])
    const used = play(
      done.project,
      [
        [400, { kind: 'client-waiting', endpointId, cause: client }],
        [400, { kind: 'started', endpointId }],
        [700, { kind: 'time' }],
        [700, { kind: 'stopped', endpointId }],
      ],
      changes,
    )
    expect(used.wakeAt).toBe(START + 800_000)
  })
})

describe('Q-25 stateLag: the answer to a start shows', () => {
  test.each<Case>([
    ['the old state', { stateLag: true }, ['idle', undefined]],
    ['the state that has moved', { stateLag: false }, ['idle', 'active']],
  ])('%s', (_, changes, expected) => {
    const { answer } = step(project([sleeping()]), { kind: 'start', endpointId }, context(1, changes))
    expect(answer?.ok && [answer.compute?.state, answer.compute?.pending]).toEqual(expected)
  })
})

describe('Q-26 suspendDrops: a suspend call', () => {
  test.each<Case>([
    ['drops at once', { suspendDrops: true }, 0],
    ['waits for clients', { suspendDrops: { grace: 7 } }, 7],
  ])('%s', (_, changes, grace) => {
    const { effects } = step(project(), { kind: 'suspend', endpointId }, context(1, changes))
    expect(effects).toContainEqual({ kind: 'stop-process', endpointId, grace })
    const idle = step(project(), { kind: 'time' }, context(300, changes))
    expect(idle.effects).toContainEqual({ kind: 'stop-process', endpointId, grace: 0 })
  })
})

describe('Q-30 applyCountsAsActivity: a new delay', () => {
  test.each<Case>([
    ['leaves the timer alone', { applyCountsAsActivity: false }, START + 60_000],
    ['restarts it', { applyCountsAsActivity: true }, START + 62_000],
  ])('%s', (_, changes, wakeAt) => {
    const applied: readonly (readonly [number, Event])[] = [
      [1, update({ suspendTimeout: 60 })],
      [2, { kind: 'configured', endpointId }],
    ]
    expect(play(project(), applied, changes).wakeAt).toBe(wakeAt)
  })
})

describe('Q-31 wakeCountsAsActivity: a wake by a client', () => {
  test.each<Case>([
    ['is no activity', { wakeCountsAsActivity: false }, START],
    ['is one', { wakeCountsAsActivity: true }, START + 2000],
  ])('%s', (_, changes, last) => {
    const woken = play(
      project([sleeping()]),
      [
        [1, { kind: 'client-waiting', endpointId, cause: client }],
        [2, { kind: 'started', endpointId }],
      ],
      changes,
    )
    expect(lastActivityOf(first(woken).activity)).toBe(last)
  })
})

describe('Q-32 operationsMoveProject: a wake and a suspension', () => {
  const day: readonly (readonly [number, Event])[] = [
    [10, { kind: 'client-waiting', endpointId, cause: client }],
    [12, { kind: 'started', endpointId }],
    [400, { kind: 'time' }],
    [401, { kind: 'stopped', endpointId }],
  ]
  const updatedAt = (changes: Partial<Settings>): number =>
    play(project([sleeping()]), day, changes).project.updatedAt

  test('true: are a new updated_at of the project', () => {
    expect(updatedAt({})).toBe(START + 401_000)
  })

  test('false: are not, but a change of its settings is', () => {
    expect(updatedAt({ operationsMoveProject: false })).toBe(START)
    const renamed = step(
      project(),
      { kind: 'update-project', name: 'two' },
      context(5, { operationsMoveProject: false }),
    )
    expect(renamed.project.updatedAt).toBe(START + 5000)
  })
})

describe('a failed attempt', () => {
  const failing: readonly (readonly [number, Event])[] = [
    [1, { kind: 'start', endpointId }],
    [2, { kind: 'attempt-failed', operationId: 'operation-1-1', retryIn: 5 }],
  ]

  test('leaves the operation failed until its next attempt, and the project locked', () => {
    const failed = play(project([sleeping()]), failing)
    expect(failed.project.queue[0]?.operation).toMatchObject({
      status: 'failed',
      failures: 1,
      retryAt: START + 7000,
    })
    expect(failed.wakeAt).toBe(START + 7000)
    const locked = step(failed.project, { kind: 'restart', endpointId }, context(3))
    expect(outcomeOf(locked.answer)).toBe(423)
  })

  test('is made again at its time, and ends finished with one failure', () => {
    const done = play(project([sleeping()]), [
      ...failing,
      [6, { kind: 'time' }],
      [7, { kind: 'time' }],
      [8, { kind: 'started', endpointId }],
    ])
    expect(
      done.results.map(({ effects }) => effects.filter(({ kind }) => kind === 'start-process').length),
    ).toEqual([1, 0, 0, 1, 0])
    expect(done.effects).toContainEqual(
      expect.objectContaining({ operation: expect.objectContaining({ status: 'finished', failures: 1 }) }),
    )
  })

  test('of another operation changes nothing', () => {
    const late: Event = { kind: 'attempt-failed', operationId: 'another', retryIn: 5 }
    const running = play(project([sleeping()]), [[1, { kind: 'start', endpointId }]])
    expect(step(running.project, late, context(2)).project).toBe(running.project)
  })
})
