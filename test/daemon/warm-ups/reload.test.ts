// A start was planned by one configuration, and is due under another one.
import { expect, onTestFinished, test, vi } from 'vitest'
import { createPolicies, type PolicyRule } from '../../../src/model/policy/policies.ts'
import { selectorTargetOf } from '../../../src/model/policy/selector.ts'
import { after, seconds } from '../../../src/model/units.ts'
import { ok } from '../../../src/std/result.ts'
import { compute } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { placedHoldsOf } from '../../support/placed-holds.ts'

const planned = vi.hoisted(() => ({ all: [] as unknown[] }))
vi.mock('../../../src/daemon/warm-ups/plans.ts', () => ({
  createWarmUpPlans: () => ({
    of: () => planned.all[0],
    all: () => planned.all,
    refresh: () => Promise.resolve(),
  }),
}))

const WARM: PolicyRule = { match: {}, mode: 'apply', levers: ['warm'] }

test.each<readonly [string, readonly PolicyRule[], readonly unknown[]]>([
  ['a policy that still has them', [WARM], [['project-one', 'ep-one']]],
  ['a policy without the lever', [{ ...WARM, levers: ['delay'] }], []],
  ['a policy that only suggests', [{ ...WARM, mode: 'suggest' }], []],
])('%s', async (_, rules, starts) => {
  const { createWarmUps } = await import('../../../src/daemon/warm-ups/warm-ups.ts')
  const clock = fakeClock()
  const ref = { account: 'main', projectId: 'project-one', endpointId: 'ep-one' }
  const suspendedAt = clock.now()
  const asleep = compute({ state: 'idle', suspendedAt, endpointId: 'ep-one' })
  planned.all = [
    {
      ref,
      target: selectorTargetOf('main', asleep, undefined),
      policy: { window: undefined, path: 'policies[0]' },
      suspendedAt,
      plan: { starts: [after(clock.now(), seconds(20))], backtest: {} },
    },
  ]
  const started: unknown[] = []
  const problems: unknown[] = []
  const service = {
    at: () => ({
      listComputes: async () => ok({ items: [asleep], problems: [] }),
      startCompute: async (...given: unknown[]) => {
        started.push(given.slice(0, 2))
        return ok({ operations: [] })
      },
    }),
  }
  const memory = memoryStore()
  const warmUps = await createWarmUps({
    account: { name: 'main' },
    config: () => ({
      policies: createPolicies(rules),
      windows: new Map(),
      changes: { freeze: [] },
      budgets: [],
    }),
    ports: { clock, service, store: memory.account('main'), epoch: memory.epoch, history: {} },
    history: { jobState: () => Promise.resolve(undefined) },
    placedHolds: placedHoldsOf(),
    killSwitch: { isEngaged: () => false },
    isCurrent: () => true,
    state: () => ({
      clock: { offset: 0, skew: 0, wall: clock.now(), monotonic: clock.monotonic(), readAt: clock.now() },
      service: { status: 'ok' },
      budgets: [],
      ledger: { computes: new Map(), projects: new Map() },
    }),
    log: {
      info: () => undefined,
      warn: (line: unknown) => void problems.push(line),
      error: (line: unknown) => void problems.push(line),
    },
  } as never)
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  void warmUps.run(stop.signal)
  for (let turn = 0; turn < 10; turn += 1) await clock.advance(seconds(5))
  expect(started).toEqual(starts)
  expect(problems).toEqual([])
})
