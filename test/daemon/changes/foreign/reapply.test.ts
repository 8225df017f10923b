// Which recommendation wants an overwritten value again, and the brakes of computes that are gone.
import { describe, expect, test } from 'vitest'
import { endOfGone } from '../../../../src/daemon/changes/brakes/policy-brakes.ts'
import {
  reappliedIn,
  reapplyingChange,
  recommendationsOf,
} from '../../../../src/daemon/changes/foreign/reapply.ts'
import type { ForeignChange } from '../../../../src/apply/foreign-changes.ts'
import { DEFAULT_RESTART_RULES } from '../../../../src/model/policy/change-policy.ts'
import type { Change } from '../../../../src/model/policy/change.ts'
import { planLimits } from '../../../../src/model/policy/plan-limits.ts'
import type { Recommendation } from '../../../../src/model/policy/recommendation.ts'
import { computeKey } from '../../../../src/model/service/compute.ts'
import { seconds } from '../../../../src/model/units.ts'
import { at, preset } from '../../../support/build.ts'
import { changeOf } from '../../../support/changes.ts'
import { snapshotOf } from '../../../support/fleet-snapshot.ts'
import { NO_HISTORY } from '../../../support/no-history.ts'
import { storedBrakesOf } from '../../../support/placed-holds.ts'
import { delay, ref } from '../decided/decided-world.ts'

const VIEWS = snapshotOf(1).computes
const IMPLEMENTED = { state: 'implemented', at: at(60), realised: undefined } as const
const byPolicy = (over: Partial<Change> = {}): Change =>
  changeOf({
    id: 'ours',
    ref: ref(0),
    kind: 'delay',
    desired: { autosuspendDelay: seconds(600) },
    before: { autosuspendDelay: seconds(300) },
    origin: { by: 'policy', id: 'ep-0.delay.1', hash: 'h1', name: 'policies[0]' },
    ...over,
  })
const overwritten = (change = byPolicy()): ForeignChange => ({
  overwritten: change,
  effectiveAt: at(60),
  at: at(120),
  theirs: { autosuspendDelay: seconds(300) },
  isStanding: true,
})

async function againWith(known: readonly Recommendation[], change = byPolicy()) {
  const history = {
    recommendations: async function* () {
      yield* known
    },
  }
  const found = new Map([[computeKey(ref(0)), [overwritten(change)]]])
  return reappliedIn({ history: { ...NO_HISTORY, ...history } }, VIEWS, found)
}

const first = (life: Recommendation['life']): Recommendation => ({ ...delay(0), life })
const second = (to: number): Recommendation => ({
  ...delay(0),
  id: 'ep-0.delay.2',
  to: { delay: seconds(to) },
})
const dismissed = { state: 'dismissed', at: at(60), until: undefined, reason: '', by: 'ann' } as const

describe('an overwritten value is wanted', () => {
  test.each<[string, readonly Recommendation[], Change, readonly string[]]>([
    ['by the one that was implemented', [first(IMPLEMENTED)], byPolicy(), ['ep-0.delay.1']],
    ['by one that is still open', [first({ state: 'open' })], byPolicy(), ['ep-0.delay.1']],
    [
      'by one that the other value has withdrawn',
      [first({ state: 'withdrawn', at: at(120), because: 'changed' })],
      byPolicy(),
      ['ep-0.delay.1'],
    ],
    ['by a newer one of the same value', [first(IMPLEMENTED), second(600)], byPolicy(), ['ep-0.delay.2']],
    ['not where a newer one is of another', [first(IMPLEMENTED), second(900)], byPolicy(), []],
    ['not where a person has put it aside', [first(dismissed)], byPolicy(), []],
    [
      'not where it was withdrawn for another reason',
      [first({ state: 'withdrawn', at: at(120), because: 'policy' })],
      byPolicy(),
      [],
    ],
    [
      'not where a person had asked for the change',
      [first(IMPLEMENTED)],
      byPolicy({ origin: { by: 'person', name: 'ann' } }),
      [],
    ],
  ])('%s', async (_, known, change, expected) => {
    expect([...(await againWith(known, change)).keys()]).toEqual(expected)
  })
})

test('the change has the value and names what was overwritten; a person is asked first in mode approve', async () => {
  const again = await againWith([{ ...delay(0), life: IMPLEMENTED }])
  const reapplied = again.get('ep-0.delay.1')
  if (!reapplied) throw new Error('it is wanted')
  expect(recommendationsOf(reapplied.view, again).map(({ id }) => id)).toEqual(['ep-0.delay.1'])
  const change = reapplyingChange(reapplied, {
    policy: { mode: 'approve', levers: ['delay'], restart: DEFAULT_RESTART_RULES, path: 'policies[0]' },
    isProposed: true,
    runner: { limits: () => ({ preset, limits: planLimits('interface', 'launch') }), now: () => at(200) },
    random: { unit: () => 0.5, uuid: () => '12345678' },
  })
  expect(change).toMatchObject({
    id: 'ch-12345678',
    desired: { autosuspendDelay: 600 },
    origin: { by: 'policy', id: 'ep-0.delay.1', reapplies: 'ours' },
    state: { at: 'proposed' },
  })
})

test('the brake of a compute that is gone ends, others stay', async () => {
  const brakes = storedBrakesOf()
  await brakes.engage({ name: 'controller', subject: 'ep-0', because: 'x' })
  await brakes.engage({ name: 'controller', subject: 'ep-gone', because: 'x' })
  await brakes.engage({ name: 'demoted', subject: 'sizing', because: 'x' })
  await endOfGone(brakes, VIEWS)
  expect(brakes.engaged().map(({ name, subject }) => [name, subject])).toEqual([
    ['controller', 'ep-0'],
    ['demoted', 'sizing'],
  ])
})
