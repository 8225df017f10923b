import { describe, expect, test } from 'vitest'
import { foreignSettingAt } from '../../src/apply/foreign-setting.ts'
import { nextStep } from '../../src/apply/next-step.ts'
import { planDefaults, planRevert, type DefaultsTarget } from '../../src/apply/plan.ts'
import type { ChangeSettings } from '../../src/model/policy/change.ts'
import { planLimits } from '../../src/model/policy/plan-limits.ts'
import { cu, seconds } from '../../src/model/units.ts'
import type { Sizing } from '../../src/model/service/compute.ts'
import { at, preset, project } from '../support/build.ts'
import { changeOf, CHANGED, SCHEDULED } from '../support/changes.ts'
import { inputOf, NOW } from './build.ts'

const REF = { account: 'main', projectId: 'project-one' }
const target = (over: Partial<DefaultsTarget> = {}): DefaultsTarget => ({
  ref: REF,
  project: project(),
  preset,
  limits: planLimits('interface', 'scale'),
  ...over,
})
const planOf = (settings: ChangeSettings, over: Partial<DefaultsTarget> = {}) =>
  planDefaults(target(over), { settings, when: 'idle' }, (text) => `#${text.length}`)
const plan = (over: Partial<DefaultsTarget> = {}, delay = 60) =>
  planOf({ autosuspendDelay: seconds(delay) }, over)

describe('a plan of the defaults of a project', () => {
  test('is one request for the project, restarts nothing, and is made from the delay in effect', () => {
    expect(plan()).toMatchObject({
      ok: true,
      value: {
        ref: REF,
        kind: 'defaults',
        before: { autosuspendDelay: 300 },
        desired: { autosuspendDelay: 60 },
        restarts: false,
        request: {
          method: 'PATCH',
          path: '/projects/project-one',
          body: { project: { default_endpoint_settings: { suspend_timeout_seconds: 60 } } },
        },
      },
    })
  })

  test.each<[string, Partial<DefaultsTarget>, number, string]>([
    [
      'a project without default_endpoint_settings',
      { project: project({ hasDefaults: false }) },
      60,
      'project: expected one with default_endpoint_settings: the service shows none of project-one, so they cannot be changed',
    ],
    [
      'a delay that the service plan does not allow',
      {},
      30,
      'delay_seconds: expected 60 to 604800 s, default, or never, got 30 s',
    ],
    ['the delay that it has', {}, 300, 'nothing to change: the project has these defaults already'],
  ])('is refused for %s', (_, over, delay, text) => {
    expect(refusalOf(plan(over, delay))).toBe(text)
  })

  test('that asks for what is in effect conflicts with it, so that the API answers 409', () => {
    expect(plan({}, 300)).toMatchObject({ ok: false, error: { isConflict: true } })
  })
})

function refusalOf(refused: ReturnType<typeof planOf>): string {
  if (refused.ok) throw new Error('it was not refused')
  const { path, message } = refused.error
  return path === '' ? message : `${path}: ${message}`
}

const SIZED = { project: project({ defaultSizing: { fixed: cu(2) } }) }
const RANGE: ChangeSettings = { sizing: { min: cu(0.25), max: cu(2) } }

describe('a plan of a default size', () => {
  test('is part of the one request, and what takes it back has both settings of before', () => {
    const made = planOf({ ...RANGE, autosuspendDelay: seconds(60) }, SIZED)
    if (!made.ok) throw new Error(made.error.message)
    expect(made.value).toMatchObject({
      kind: 'defaults',
      before: { autosuspendDelay: 300, sizing: { fixed: 2 } },
      restarts: false,
      request: {
        body: {
          project: {
            default_endpoint_settings: {
              autoscaling_limit_min_cu: 0.25,
              autoscaling_limit_max_cu: 2,
              suspend_timeout_seconds: 60,
            },
          },
        },
      },
    })
    expect(planRevert(changeOf(made.value), 'now', () => '').request.body).toEqual({
      project: {
        default_endpoint_settings: {
          autoscaling_limit_min_cu: 2,
          autoscaling_limit_max_cu: 2,
          suspend_timeout_seconds: 300,
        },
      },
    })
  })

  test('leaves out the delay that the project has', () => {
    expect(planOf({ ...RANGE, autosuspendDelay: seconds(300) }, SIZED)).toMatchObject({
      value: { desired: RANGE, before: { sizing: { fixed: 2 } } },
    })
  })

  test.each<[string, ChangeSettings, Partial<DefaultsTarget>, string]>([
    [
      'where the service shows none',
      RANGE,
      {},
      'project: the service shows no default size of project-one, so it cannot be changed',
    ],
    [
      'that is not supported',
      { sizing: { min: cu(0.3), max: cu(2) } },
      SIZED,
      'min_cu: expected one of the sizes 0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 CU, got 0.3',
    ],
    [
      'on a plan without ranges',
      RANGE,
      { ...SIZED, limits: planLimits('interface', 'free') },
      'max_cu: expected a fixed size: this service plan has no ranges',
    ],
  ])('is refused %s', (_, settings, over, text) => {
    expect(refusalOf(planOf(settings, over))).toBe(text)
  })
})

const SET_BOTH = {
  ref: REF,
  kind: 'defaults',
  before: { autosuspendDelay: seconds(300), sizing: { fixed: cu(2) } },
  desired: { autosuspendDelay: seconds(60), ...RANGE },
} as const

const seenDefaults = (delay: number, defaultSizing: Sizing | undefined) => ({
  defaultDelay: seconds(delay),
  defaultSizing,
  others: [],
  openOperations: 0,
  operations: [],
  askedAt: at(999),
})

describe('a change of the default delay and the default size', () => {
  const verifying = {
    at: 'verifying',
    since: at(990),
    operationIds: [],
    sent: { at: at(990), sessions: 0 },
  } as const
  test.each<[string, number, Sizing | undefined, unknown]>([
    ['both are shown', 60, { min: cu(0.25), max: cu(2) }, { state: { at: 'done', because: 'verified' } }],
    ['only the delay is shown', 60, { fixed: cu(2) }, { state: { at: 'superseded' } }],
    ['no size is shown', 60, undefined, { state: { at: 'superseded' } }],
    ['nothing has changed yet', 300, { fixed: cu(2) }, { do: 'wait', hold: { because: 'unverified' } }],
  ])('is judged by the record of the project: %s', (_, delay, sizing, step) => {
    const input = inputOf(verifying, { seen: seenDefaults(delay, sizing) }, SET_BOTH)
    expect(nextStep(input, NOW)).toMatchObject(step as object)
  })

  test.each<[string, Sizing, unknown]>([
    ['is sent while the defaults are those of before', { fixed: cu(2) }, { do: 'send' }],
    [
      'makes way where somebody else set another default size',
      { fixed: cu(4) },
      {
        state: {
          at: 'superseded',
          because:
            'somebody else set 4 CU and a delay of 300 s; 0.25 to 2 CU and a delay of 60 s was to be set',
        },
      },
    ],
  ])('%s', (_, sizing, step) => {
    const input = inputOf(SCHEDULED, { seen: seenDefaults(300, sizing) }, SET_BOTH)
    expect(nextStep(input, NOW)).toMatchObject(step as object)
  })

  test('explains another delay of an existing compute, not another size', () => {
    const done = changeOf({
      ...SET_BOTH,
      state: { at: 'done', because: 'verified', endedAt: at(10), sent: { at: at(10), sessions: 0 } },
    })
    const first = { ref: CHANGED, since: at(0), delay: seconds(300), sizing: { fixed: cu(2) } } as const
    const shorter = { ...first, since: at(60), delay: seconds(60) }
    const smaller = { ...shorter, since: at(120), sizing: { min: cu(0.25), max: cu(2) } }
    expect(foreignSettingAt([first, shorter], [done])).toBeUndefined()
    expect(foreignSettingAt([first, shorter, smaller], [done])).toBe(at(120))
  })
})
