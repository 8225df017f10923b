import { describe, expect, test } from 'vitest'
import { planDefaults, type DefaultsTarget } from '../../src/apply/plan.ts'
import { planLimits } from '../../src/model/policy/plan-limits.ts'
import { seconds } from '../../src/model/units.ts'
import { project } from '../support/build.ts'

const REF = { account: 'main', projectId: 'project-one' }
const target = (over: Partial<DefaultsTarget> = {}): DefaultsTarget => ({
  ref: REF,
  project: project(),
  limits: planLimits('interface', 'scale'),
  ...over,
})
const plan = (over: Partial<DefaultsTarget> = {}, delay = 60) =>
  planDefaults(target(over), { delay: seconds(delay), when: 'idle' }, (text) => `#${text.length}`)

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
    ['the delay that it has', {}, 300, 'nothing to change: the project has this default delay already'],
  ])('is refused for %s', (_, over, delay, text) => {
    const refused = plan(over, delay)
    if (refused.ok) throw new Error('it was not refused')
    const { path, message } = refused.error
    expect(path === '' ? message : `${path}: ${message}`).toBe(text)
  })
})
