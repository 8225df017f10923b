// A start was planned by one configuration, and is due under another one.
import { expect, test } from 'vitest'
import type { Window } from '../../../src/calendar/window.ts'
import { warmUpTerms } from '../../../src/daemon/warm-ups/warm-up-terms.ts'
import { warmUpHold } from '../../../src/decide/warm-up-hold.ts'
import type { Hold } from '../../../src/model/policy/hold.ts'
import { createPolicies, type PolicyRule } from '../../../src/model/policy/policies.ts'
import { selectorTargetOf } from '../../../src/model/policy/selector.ts'
import { compute } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { placedHoldsOf } from '../../support/placed-holds.ts'

const WARM: PolicyRule = { match: {}, mode: 'apply', levers: ['warm'] }
const CLOSED: Window = {
  at: () => undefined,
  next: () => undefined,
  previous: () => undefined,
  between: () => [],
}
const NEEDS_POLICY = { because: 'policy', until: undefined } as const

test.each<readonly [string, readonly PolicyRule[], Hold | undefined]>([
  ['a policy that still has them', [WARM], undefined],
  ['a policy without the lever', [{ ...WARM, levers: ['delay'] }], NEEDS_POLICY],
  ['a policy that only suggests', [{ ...WARM, mode: 'suggest' }], NEEDS_POLICY],
  ['no policy', [], NEEDS_POLICY],
  [
    'a policy with a window now',
    [{ ...WARM, warm: { window: 'office' } }],
    { because: 'outside-window', until: undefined, detail: 'office' },
  ],
])('%s', (_, rules, hold) => {
  const clock = fakeClock()
  const sources = {
    account: { name: 'main' },
    config: {
      policies: createPolicies(rules),
      windows: new Map([['office', CLOSED]]),
      changes: { freeze: [], killSwitchFile: undefined },
      budgets: [],
    },
    state: {
      service: { status: 'ok' },
      clock: { offset: 0, skew: 0, wall: clock.now(), monotonic: clock.monotonic(), readAt: clock.now() },
      budgets: [],
    },
    placedHolds: placedHoldsOf(),
    killSwitch: { isEngaged: () => false },
    clock,
  } as never
  const target = selectorTargetOf('main', compute({ state: 'idle' }), undefined)
  expect(warmUpHold(warmUpTerms(target, sources), clock.now())).toEqual(hold)
})
