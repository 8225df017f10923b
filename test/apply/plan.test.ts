import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChangeAsk, PlanTarget } from '../../src/apply/asked-settings.ts'
import { planChange, planRevert, type ChangePlan } from '../../src/apply/plan.ts'
import { hasSettings } from '../../src/apply/settings.ts'
import type { AutosuspendDelay, Compute, Sizing } from '../../src/model/service/compute.ts'
import { cu, seconds } from '../../src/model/units.ts'
import { compute } from '../support/build.ts'
import { check } from '../support/property.ts'
import { changeOf } from '../support/changes.ts'
import { ask, targetOf } from './build.ts'

/** The digest shows what is hashed. */
const planOf = (asked: Partial<ChangeAsk>, target: PlanTarget = targetOf()) =>
  planChange(target, ask(asked), (text) => text)

const planned = (asked: Partial<ChangeAsk>, target?: PlanTarget): ChangePlan => {
  const plan = planOf(asked, target)
  if (!plan.ok) throw new Error(plan.error.message)
  return plan.value
}

const path = '/projects/project-one/endpoints/ep-one'
const DEFAULT: Partial<Compute> = { autosuspendDelay: undefined }

test.each<[string, Partial<ChangeAsk>, Partial<Compute>, Partial<ChangePlan>]>([
  [
    'a size',
    { size: { max: cu(2) } },
    {},
    {
      kind: 'sizing',
      restarts: true,
      before: { sizing: { fixed: cu(1) } },
      desired: { sizing: { min: cu(1), max: cu(2) } },
      request: {
        method: 'PATCH',
        path,
        body: { endpoint: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2 } },
      },
    },
  ],
  [
    'a delay',
    { delay: seconds(600) },
    {},
    {
      kind: 'delay',
      restarts: false,
      before: { autosuspendDelay: seconds(300) },
      desired: { autosuspendDelay: seconds(600) },
      request: { method: 'PATCH', path, body: { endpoint: { suspend_timeout_seconds: 600 } } },
    },
  ],
  [
    'back to the default, which is another delay',
    { delay: seconds(0) },
    { autosuspendDelay: seconds(600) },
    {
      kind: 'delay',
      before: { autosuspendDelay: seconds(600) },
      desired: { autosuspendDelay: seconds(0) },
      request: { method: 'PATCH', path, body: { endpoint: { suspend_timeout_seconds: 0 } } },
    },
  ],
  [
    'off, over the default',
    { delay: 'never' },
    DEFAULT,
    {
      before: { autosuspendDelay: seconds(300) },
      desired: { autosuspendDelay: 'never' },
      request: { method: 'PATCH', path, body: { endpoint: { suspend_timeout_seconds: -1 } } },
    },
  ],
  [
    'size and delay, of which only the size differs',
    { size: { fixed: cu(2) }, delay: seconds(300) },
    DEFAULT,
    { kind: 'sizing', before: { sizing: { fixed: cu(1) } }, desired: { sizing: { fixed: cu(2) } } },
  ],
  [
    'size and delay, of which only the delay differs',
    { size: { fixed: cu(1) }, delay: seconds(600) },
    {},
    { kind: 'delay', desired: { autosuspendDelay: seconds(600) } },
  ],
  [
    'size and delay',
    { size: { fixed: cu(2) }, delay: 'never' },
    {},
    {
      kind: 'sizing',
      request: {
        method: 'PATCH',
        path,
        body: {
          endpoint: {
            autoscaling_limit_min_cu: 2,
            autoscaling_limit_max_cu: 2,
            suspend_timeout_seconds: -1,
          },
        },
      },
    },
  ],
  [
    'a restart',
    { restart: true },
    {},
    {
      kind: 'restart',
      restarts: true,
      before: {},
      desired: {},
      request: { method: 'POST', path: `${path}/restart`, body: undefined },
    },
  ],
  [
    'a restart at once where autosuspend is off',
    { restart: true, when: 'now' },
    { autosuspendDelay: 'never' },
    { kind: 'restart' },
  ],
])('%s is planned', (_, asked, over, plan) => {
  expect(planned(asked, targetOf(over))).toMatchObject(plan)
})

const same = (what: string) => `nothing to change: the compute has this ${what} already`

describe('nothing is planned', () => {
  const NEVER =
    'expected now: autosuspend is off, so that no suspension comes by itself; now interrupts the sessions of the compute'
  const unknown = 'its provisioner mainframe is not known, so it is never changed'
  test.each<[string, Partial<ChangeAsk>, PlanTarget, string, string]>([
    ['300 s over a default of 300 s', { delay: seconds(300) }, targetOf(DEFAULT), '', same('delay')],
    ['the default over 300 s', { delay: seconds(0) }, targetOf(), '', same('delay')],
    ['the size it has', { size: { fixed: cu(1) } }, targetOf(), '', same('size')],
    ['its size as equal limits', { size: { min: cu(1), max: cu(1) } }, targetOf(), '', same('size')],
    [
      'size and delay that it has',
      { size: { fixed: cu(1) }, delay: seconds(300) },
      targetOf(),
      '',
      same('size and delay'),
    ],
    [
      'for an unknown provisioner',
      { delay: 'never' },
      targetOf({ unknownProvisioner: 'mainframe' }),
      'compute',
      unknown,
    ],
    [
      'a restart while idle where autosuspend is off',
      { restart: true },
      targetOf({ autosuspendDelay: 'never' }),
      'when',
      NEVER,
    ],
    [
      '… and where that is the default',
      { restart: true },
      targetOf(DEFAULT, { defaultDelay: 'never' }),
      'when',
      NEVER,
    ],
  ])('%s', (_, asked, target, field, message) => {
    expect(planOf(asked, target)).toEqual({
      ok: false,
      error: { path: field, message, isConflict: true },
    })
  })
})

const sizes = [0.25, 0.5, 1, 2, 3, 4].map(cu)
const sizing: fc.Arbitrary<Sizing> = fc
  .tuple(fc.constantFrom(...sizes), fc.constantFrom(...sizes))
  .map(([one, other]) => {
    const [min, max] = [cu(Math.min(one, other)), cu(Math.max(one, other))]
    return min === max ? { fixed: min } : { min, max }
  })
const delay = fc
  .constantFrom(60, 300, 600, Infinity)
  .map((length): AutosuspendDelay => (length === Infinity ? 'never' : seconds(length)))
const target = fc
  .record({
    sizing,
    autosuspendDelay: fc.option(delay, { nil: undefined }),
    endpointId: fc.constantFrom('ep-one', 'ep-two'),
  })
  .chain((over) => delay.map((defaultDelay) => targetFor(over, defaultDelay)))
const targetFor = (over: Pick<Compute, 'endpointId'> & Partial<Compute>, defaultDelay: AutosuspendDelay) =>
  targetOf(over, {
    defaultDelay,
    ref: { account: 'main', projectId: 'project-one', endpointId: over.endpointId },
  })
const asked = fc.record({
  size: fc.option(
    sizing.map((one) => ('fixed' in one ? one : { min: one.min, max: one.max })),
    { nil: undefined },
  ),
  delay: fc.option(fc.oneof(delay, fc.constant(seconds(0))), { nil: undefined }),
  restart: fc.constant(false),
  when: fc.constantFrom('idle' as const, 'now' as const),
})

const facts = ({ ref, kind, before, desired, when, request }: ChangePlan) =>
  JSON.stringify([ref, kind, before, desired, when, request])

describe('a plan', () => {
  test('sets only what differs, both limits of a size together, and has then what was asked for', () => {
    check(
      fc.property(target, asked, (of, wish) => {
        const plan = planOf(wish, of)
        if (!plan.ok) return
        const { desired, before, request, kind } = plan.value
        expect(Object.keys(before)).toEqual(Object.keys(desired))
        for (const [key, value] of Object.entries(desired))
          expect(hasSettings(of, { [key]: value })).toBe(false)
        expect(hasSettings(of, before)).toBe(true)
        const { body } = request
        const fields = Object.keys(body && 'endpoint' in body ? body.endpoint : {})
        expect(fields).toEqual([
          ...(desired.sizing ? ['autoscaling_limit_min_cu', 'autoscaling_limit_max_cu'] : []),
          ...(desired.autosuspendDelay === undefined ? [] : ['suspend_timeout_seconds']),
        ])
        expect(kind).toBe(desired.sizing ? 'sizing' : 'delay')
        const changed = { ...of, compute: { ...of.compute, ...desired } }
        const isDefault = desired.autosuspendDelay === 0
        const after = isDefault ? { ...changed.compute, autosuspendDelay: undefined } : changed.compute
        expect(planOf(wish, { ...changed, compute: after }).ok).toBe(false)
      }),
      400,
    )
  })

  test('has the same hash exactly where compute, kind, before, desired, moment and request are the same', () => {
    check(
      fc.property(target, asked, target, asked, (of, wish, ofOther, wishOther) => {
        const [one, other] = [planOf(wish, of), planOf(wishOther, ofOther)]
        if (!one.ok || !other.ok) return
        expect(one.value.planHash === other.value.planHash).toBe(facts(one.value) === facts(other.value))
      }),
      400,
    )
  })

  test.each<[string, Partial<ChangeAsk>, PlanTarget]>([
    [
      'compute',
      {},
      targetOf({}, { ref: { account: 'main', projectId: 'project-one', endpointId: 'ep-two' } }),
    ],
    [
      'account',
      {},
      targetOf({}, { ref: { account: 'other', projectId: 'project-one', endpointId: 'ep-one' } }),
    ],
    ['size before', {}, targetOf({ sizing: { fixed: cu(2) } })],
    ['size asked for', { size: { fixed: cu(4) } }, targetOf()],
    ['moment', { when: 'now' }, targetOf()],
    ['delay besides', { delay: 'never' }, targetOf()],
    ['kind', { size: undefined, restart: true }, targetOf()],
  ])('of another %s has another hash', (_, over, of) => {
    const base = { size: { fixed: cu(3) } }
    expect(planned({ ...base, ...over }, of).planHash).not.toBe(planned(base).planHash)
  })

  test('has the same hash after a new look that shows the same settings', () => {
    const later = compute({ state: 'active', updatedAt: compute().createdAt })
    const base = { size: { fixed: cu(3) } }
    expect(planned(base, targetOf(later)).planHash).toBe(planned(base).planHash)
  })
})

test.each<[what: string, before: Partial<Compute>, wanted: AutosuspendDelay, request: number]>([
  ['a delay of its own', {}, seconds(300), 300],
  ['the default delay of its project', DEFAULT, seconds(0), 0],
])('what takes back a change of a compute with %s asks for that again', (_, before, wanted, request) => {
  const { hadDefaultDelay, ...plan } = planned({ delay: seconds(60) }, targetOf(before))
  expect(plan.before).toEqual({ autosuspendDelay: 300 })
  const change = changeOf({ ...plan, ...(hadDefaultDelay && { hadDefaultDelay }) })
  expect(planRevert(change, 'policy', (text) => text)).toMatchObject({
    before: { autosuspendDelay: 60 },
    desired: { autosuspendDelay: wanted },
    request: { body: { endpoint: { suspend_timeout_seconds: request } } },
  })
})
