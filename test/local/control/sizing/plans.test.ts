import { describe, expect, test } from 'vitest'
import { NO_DEFAULTS } from '../../../../src/local/control/config.ts'
import type { Request, Settings } from '../../../../src/local/control/events.ts'
import type { ComputeConfig } from '../../../../src/local/control/project.ts'
import { step } from '../../../../src/local/control/step.ts'
import { compute, context, project } from '../build.ts'

type Change = Partial<ComputeConfig>

/** `taken`, or status and message of the refusal. */
function update(subscription: Partial<Settings>, changes: Change, before: Change = {}): string {
  const request = { kind: 'update', endpointId: 'ep-one', changes } as const
  const { answer } = step(project([compute({}, before)]), request, context(0, subscription))
  if (!answer || answer.ok) return 'taken'
  return `${answer.refusal.status} ${answer.refusal.message}`
}

const FREE = { plan: 'free', preset: '2026-03' } as const
const LAUNCH = { plan: 'launch', preset: '2026-03' } as const
const SCALE = { plan: 'scale', preset: '2026-03' } as const

describe('a plan of the documents', () => {
  test.each<readonly [string, Partial<Settings>, Change]>([
    ['free: the fixed delay', FREE, { suspendTimeout: 300 }],
    ['free: the default delay', FREE, { suspendTimeout: 0 }],
    ['free: 2 CU', FREE, { minCu: 2, maxCu: 2 }],
    ['free: a range up to 2 CU', FREE, { minCu: 0.25, maxCu: 2 }],
    ['launch: autosuspend off', LAUNCH, { suspendTimeout: -1 }],
    ['launch: 16 CU', LAUNCH, { minCu: 16, maxCu: 16 }],
    ['launch: a range of 8 CU', LAUNCH, { minCu: 8, maxCu: 16 }],
    ['scale: the shortest delay', SCALE, { suspendTimeout: 60 }],
    ['scale: the longest delay', SCALE, { suspendTimeout: 604_800 }],
    ['scale: 56 CU', SCALE, { minCu: 56, maxCu: 56 }],
  ])('allows %s', (_, subscription, changes) => {
    expect(update(subscription, changes)).toBe('taken')
  })

  test.each<readonly [Partial<Settings>, Change, string]>([
    [FREE, { suspendTimeout: -1 }, 'suspend_timeout_seconds: the free plan allows 300 seconds, got -1'],
    [
      LAUNCH,
      { suspendTimeout: 60 },
      'suspend_timeout_seconds: the launch plan allows 300 seconds, or -1 (never), got 60',
    ],
    [FREE, { minCu: 3, maxCu: 3 }, 'autoscaling_limit_max_cu: the free plan allows at most 2 CU, got 3'],
    [
      LAUNCH,
      { minCu: 18, maxCu: 18 },
      'autoscaling_limit_max_cu: the launch plan allows at most 16 CU, got 18',
    ],
    [
      SCALE,
      { minCu: 0.25, maxCu: 10 },
      'autoscaling_limit_max_cu: the scale plan allows a range of at most 8 CU, got 0.25 to 10',
    ],
    [
      SCALE,
      { minCu: 10, maxCu: 18 },
      'autoscaling_limit_max_cu: the scale plan allows at most 16 CU, got 18',
    ],
  ])('of %o refuses %o', (subscription, changes, message) => {
    expect(update(subscription, changes)).toBe(`403 endpoint.${message}`)
  })

  test('has sizes of its own', () => {
    expect(update(SCALE, { minCu: 17, maxCu: 17 })).toMatch(/^400 endpoint.autoscaling_limit_min_cu: /)
  })

  test('leaves what an update does not change, as after a change of the plan', () => {
    const before = { suspendTimeout: 900, minCu: 18, maxCu: 18 }
    expect(update(LAUNCH, { suspendTimeout: -1 }, before)).toBe('taken')
    expect(update(LAUNCH, { minCu: 2, maxCu: 2 }, before)).toBe('taken')
    expect(update(LAUNCH, { suspendTimeout: 600 }, before)).toMatch(/^403/)
  })
})

test('the interface text limits nothing but sizes on the free plan', () => {
  for (const plan of ['free', 'launch', 'scale'] as const)
    for (const suspendTimeout of [-1, 60, 604_800])
      expect(update({ plan, preset: 'interface' }, { suspendTimeout })).toBe('taken')
  expect(update({ plan: 'launch', preset: 'interface' }, { minCu: 0.25, maxCu: 10 })).toBe('taken')
  expect(update({ plan: 'free', preset: 'interface' }, { minCu: 0.25, maxCu: 0.5 })).toMatch(/^403/)
})

test('what an update does not change stays allowed, also after a start with another preset or without short delays', () => {
  const now = { plan: 'scale', preset: 'interface' } as const
  const before = { suspendTimeout: 10, minCu: 18, maxCu: 18, pgSettings: { lc_messages: 'POSIX' } }
  expect(update(now, { suspendTimeout: 600 }, before)).toBe('taken')
  expect(update(now, { minCu: 2, maxCu: 2 }, before)).toBe('taken')
  expect(update(now, { pgSettings: {} }, before)).toBe('taken')
  expect(update(now, { minCu: 16, maxCu: 16 }, before)).toMatch(/^400 endpoint.autoscaling_limit_min_cu/)
  expect(update(now, { suspendTimeout: 20 }, before)).toMatch(/^400 endpoint.suspend_timeout_seconds/)
})

/** Name of a project with default sizes of 4 CU after a change on the free plan, or the refusal. */
function changed(request: Omit<Request<'update-project'>, 'kind'>): unknown {
  const defaults = { ...NO_DEFAULTS, minCu: 4, maxCu: 4 }
  const { answer } = step(
    { ...project(), defaults },
    { kind: 'update-project', ...request },
    context(1, { plan: 'free' }),
  )
  return answer?.ok ? answer.project.name : answer?.refusal
}

describe('defaults of a project', () => {
  test('that the plan does not allow any more do not hold up other changes', () => {
    expect(changed({ name: 'renamed' })).toBe('renamed')
    expect(changed({ name: 'renamed', defaults: { suspendTimeout: 600 } })).toBe('renamed')
  })

  test('are refused where they change', () => {
    const message =
      'project.default_endpoint_settings.autoscaling_limit_max_cu: the free plan allows at most 0.25 CU, got 2'
    expect(changed({ defaults: { minCu: 2, maxCu: 2 } })).toEqual({ status: 403, message })
  })
})
