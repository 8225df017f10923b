import { describe, expect, test } from 'vitest'
import type { Answer, Event, StepResult } from '../../../src/local/control/events.ts'
import { type ComputeConfig, publishedActivity } from '../../../src/local/control/project.ts'
import { step } from '../../../src/local/control/step.ts'
import { START, compute, context, play, project, sleeping } from './build.ts'

const endpointId = 'ep-one'
const client = { kind: 'client', applicationName: 'psql', user: 'app_owner' } as const
const waiting: Event = { kind: 'client-waiting', endpointId, cause: client }
const update = (changes: Partial<ComputeConfig>): Event => ({ kind: 'update', endpointId, changes })

/** Operations that a change of settings starts, in order. */
const CHANGE_OPERATIONS = ['apply_config running', 'suspend_compute scheduling'] as const

const effectsOf = ({ effects }: StepResult): string[] =>
  effects.map(({ kind }) => kind).filter((kind) => !kind.startsWith('write-'))

const operationsOf = (answer: Answer | undefined): unknown =>
  answer?.ok ? answer.operations.map(({ action, status }) => `${action} ${status}`) : answer?.refusal.status

const stateOf = ({ project: { computes } }: StepResult): unknown => [computes[0]?.state, computes[0]?.pending]

describe('a request to an active compute', () => {
  test.each([
    ['a new delay', update({ suspendTimeout: 60 }), CHANGE_OPERATIONS, undefined],
    ['a new size', update({ minCu: 1, maxCu: 1 }), CHANGE_OPERATIONS, 'idle'],
    ['equal values', update({ minCu: 0.25 }), CHANGE_OPERATIONS, undefined],
    ['disabling', update({ disabled: true }), CHANGE_OPERATIONS, 'idle'],
    [
      'restart',
      { kind: 'restart', endpointId },
      ['suspend_compute running', 'start_compute scheduling'],
      'idle',
    ],
    ['suspend', { kind: 'suspend', endpointId }, ['suspend_compute running'], 'idle'],
    ['start', { kind: 'start', endpointId }, [], undefined],
    ['delete', { kind: 'delete', endpointId }, [], undefined],
  ] as const)('%s', (_, event, operations, pending) => {
    const result = step(project(), event, context(10))
    expect(operationsOf(result.answer)).toEqual(operations)
    expect(result.project.computes[0]?.pending).toBe(pending)
    expect(result.answer?.ok && result.answer.compute?.state).toBe('active')
  })

  test('a new delay restarts nothing: its suspend_compute is skipped', () => {
    const done = play(project(), [
      [1, update({ suspendTimeout: 60 })],
      [2, { kind: 'configured', endpointId }],
    ])
    expect(done.results.flatMap(effectsOf)).toEqual(['configure'])
    expect(
      done.effects.map((effect) => effect.kind === 'write-operation' && effect.operation.status),
    ).toEqual(['finished', 'running', 'skipped'])
    expect(done.project.queue).toEqual([])
    expect(done.wakeAt).toBe(START + 60_000)
  })

  test('a new size stops and starts it, closes one interval and opens the next at the new size', () => {
    const done = play(project(), [
      [1, update({ minCu: 2, maxCu: 2 })],
      [2, { kind: 'configured', endpointId }],
      [3, { kind: 'stopped', endpointId }],
      [5, { kind: 'started', endpointId }],
    ])
    expect(done.results.map(effectsOf)).toEqual([
      ['configure'],
      ['stop-process'],
      ['drop-connections', 'start-process'],
      ['admit-clients'],
    ])
    expect(done.results.map(stateOf)).toEqual([
      ['active', 'idle'],
      ['active', 'idle'],
      ['idle', 'active'],
      ['active', undefined],
    ])
    expect(done.results[2]?.effects).toContainEqual({
      kind: 'write-interval',
      endpointId,
      interval: { from: START, to: START + 3000, cu: 0.25, branchId: 'br-one' },
    })
    expect(done.project.computes[0]?.meter).toEqual({
      open: { from: START + 5000, cu: 2, branchId: 'br-one' },
      awakeMs: 3000,
      cuMs: 750,
      suspends: 1,
    })
  })
})

describe('a request to an idle compute', () => {
  test.each([
    ['a change', update({ suspendTimeout: 60 }), CHANGE_OPERATIONS],
    ['start', { kind: 'start', endpointId }, ['start_compute running']],
    ['suspend', { kind: 'suspend', endpointId }, []],
    ['restart', { kind: 'restart', endpointId }, 422],
  ] as const)('%s', (_, event, operations) => {
    expect(operationsOf(step(project([sleeping()]), event, context(10)).answer)).toEqual(operations)
  })

  const wakeFor: readonly (readonly [number, Event])[] = [
    [1, update({ suspendTimeout: 60 })],
    [2, { kind: 'started', endpointId }],
  ]

  test('a change wakes it for a moment', () => {
    const done = play(project([sleeping()]), [...wakeFor, [3, { kind: 'stopped', endpointId }]])
    expect(done.results.map(stateOf)).toEqual([
      ['idle', 'active'],
      ['active', 'idle'],
      ['idle', undefined],
    ])
    expect(done.project.computes[0]?.meter.awakeMs).toBe(1000)
  })

  test('a client that connects meanwhile keeps it awake', () => {
    const [change, started] = wakeFor
    const done = play(project([sleeping()]), [change!, [1.5, waiting], started!])
    expect(stateOf(done)).toEqual(['active', undefined])
    expect(done.project.queue).toEqual([])
    expect(effectsOf(done)).toEqual(['admit-clients'])
  })

  test('with patchWakesIdle false a change starts no operation', () => {
    const done = play(project([sleeping()]), [[1, update({ suspendTimeout: 60 })]], { patchWakesIdle: false })
    expect(operationsOf(done.answer)).toEqual([])
    expect(done.project.computes[0]?.config.suspendTimeout).toBe(60)
    expect(effectsOf(done)).toEqual([])
  })
})

describe('refused', () => {
  test.each([
    ['a size off the table', update({ minCu: 0.75, maxCu: 1 }), 400, 'endpoint.autoscaling_limit_min_cu'],
    ['a maximum off the table', update({ maxCu: 11 }), 400, 'endpoint.autoscaling_limit_max_cu'],
    ['a minimum above the maximum', update({ minCu: 1 }), 400, 'endpoint.autoscaling_limit_min_cu'],
    ['a delay below a minute', update({ suspendTimeout: 59 }), 400, 'endpoint.suspend_timeout_seconds'],
    [
      'a delay above seven days',
      update({ suspendTimeout: 604_801 }),
      400,
      'endpoint.suspend_timeout_seconds',
    ],
    ['an unknown compute', { kind: 'restart', endpointId: 'ep-none' }, 404, 'ep-none'],
    [
      'a second primary',
      { kind: 'create', endpointId: 'ep-b', branchId: 'br-one', config: {} },
      409,
      'br-one',
    ],
    ['an unknown branch', { kind: 'create', endpointId: 'ep-b', branchId: 'br-x', config: {} }, 404, 'br-x'],
  ] as const)('%s', (_, event, status, message) => {
    const before = project()
    const { answer, project: after, effects } = step(before, event, context())
    expect(answer).toMatchObject({ ok: false, refusal: { status } })
    expect(answer?.ok === false && answer.refusal.message).toContain(message)
    expect(after).toBe(before)
    expect(effects).toEqual([])
  })

  test.each([[0], [-1], [60], [604_800]])('a delay of %i is accepted', (suspendTimeout) => {
    expect(step(project(), update({ suspendTimeout }), context()).answer?.ok).toBe(true)
  })

  test('short delays are accepted where they are allowed', () => {
    expect(
      step(project(), update({ suspendTimeout: 1 }), context(0, { delayBelowMinimum: 'accepted' })).answer
        ?.ok,
    ).toBe(true)
  })

  test('sizes above the free plan', () => {
    const { answer } = step(project(), update({ minCu: 0.5, maxCu: 0.5 }), context(0, { plan: 'free' }))
    expect(answer).toMatchObject({ ok: false, refusal: { status: 403 } })
  })

  test.each([
    [{ kind: 'restart', endpointId }],
    [{ kind: 'delete', endpointId }],
    [update({ suspendTimeout: 60 })],
    [{ kind: 'create', endpointId: 'ep-b', branchId: 'br-two', config: {} }],
  ] as const)('while another operation runs: %o', (event) => {
    const done = play(project(), [
      [1, { kind: 'suspend', endpointId }],
      [1, event],
    ])
    expect(done.answer).toMatchObject({
      ok: false,
      refusal: { status: 423, message: expect.stringContaining('running conflicting operations') },
    })
  })
})

describe('inactivity', () => {
  test.each([
    [16, '2026-03', START + 300_000],
    [18, '2026-03', undefined],
    [18, 'interface', START + 300_000],
  ] as const)('suspends %i CU by the preset %s at %s', (cu, preset, wakeAt) => {
    const awake = project([compute({}, { minCu: cu, maxCu: cu })])
    expect(step(awake, { kind: 'time' }, context(1, { preset })).wakeAt).toBe(wakeAt)
    const late = step(awake, { kind: 'time' }, context(301, { preset }))
    expect(late.project.queue).toHaveLength(wakeAt === undefined ? 0 : 1)
  })

  test.each([
    ['the delay after the start', compute(), START + 300_000],
    [
      'the delay after the last activity',
      compute({ activity: { settled: START, recent: [START + 7000] } }),
      START + 307_000,
    ],
    ['its own delay', compute({}, { suspendTimeout: 60 }), START + 60_000],
    ['never', compute({}, { suspendTimeout: -1 }), undefined],
    ['nothing when idle', sleeping(), undefined],
  ])('suspends at %s', (_, subject, wakeAt) => {
    expect(play(project([subject]), [[0, { kind: 'configured', endpointId }]]).wakeAt).toBe(wakeAt)
  })

  test('a client that connects during a suspension starts the compute again', () => {
    const done = play(project(), [
      [300, { kind: 'time' }],
      [300.1, waiting],
      [300.2, { kind: 'stopped', endpointId }],
      [302, { kind: 'started', endpointId }],
    ])
    expect(done.results.map(effectsOf)).toEqual([
      ['stop-process'],
      [],
      ['drop-connections', 'start-process'],
      ['admit-clients'],
    ])
    expect(done.effects).toContainEqual({
      kind: 'write-wake',
      endpointId,
      wake: { at: START + 302_000, cause: client },
    })
  })

  test('the API shows an activity only after the lag', () => {
    const seen = play(project(), [
      [10, { kind: 'activity', endpointId, at: START + 10_000 }],
      [12, { kind: 'activity', endpointId, at: START + 12_000 }],
    ]).project.computes[0]!.activity
    expect([11, 15, 16.9, 17].map((at) => publishedActivity(seen, START + at * 1000, 5000))).toEqual([
      START,
      START + 10_000,
      START + 10_000,
      START + 12_000,
    ])
  })
})

describe('failures', () => {
  test('a start that fails refuses the clients and ends the operation with its error', () => {
    const done = play(project([sleeping()]), [
      [1, waiting],
      [2, { kind: 'start-failed', endpointId, message: 'disk full' }],
    ])
    expect(stateOf(done)).toEqual(['idle', undefined])
    expect(effectsOf(done)).toEqual(['refuse-clients'])
    expect(done.effects).toContainEqual(
      expect.objectContaining({
        operation: expect.objectContaining({ status: 'error', error: 'disk full', failures: 1 }),
      }),
    )
  })

  test('a server that dies leaves a finished suspend_compute', () => {
    const done = play(project(), [[9, { kind: 'died', endpointId, message: 'killed' }]])
    expect(stateOf(done)).toEqual(['idle', undefined])
    expect(done.effects).toContainEqual(
      expect.objectContaining({
        operation: expect.objectContaining({ action: 'suspend_compute', status: 'finished' }),
      }),
    )
    expect(done.project.computes[0]).toMatchObject({ suspendedAt: START + 9000, meter: { awakeMs: 9000 } })
  })

  test('a restarted shell closes open intervals and cancels open operations', () => {
    const done = play(project(), [
      [1, update({ minCu: 1, maxCu: 1 })],
      [9, { kind: 'recovered', resumes: false }],
    ])
    expect(stateOf(done)).toEqual(['idle', undefined])
    expect(done.project.queue).toEqual([])
    expect(
      done.effects.flatMap((effect) =>
        effect.kind === 'write-operation' ? [`${effect.operation.action} ${effect.operation.status}`] : [],
      ),
    ).toEqual(['apply_config cancelled', 'suspend_compute cancelled', 'suspend_compute finished'])
  })
})
