import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createUtc } from '../../../src/calendar/zone.ts'
import { applyFacts, newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import type { AutosuspendDelay, Compute } from '../../../src/model/service/compute.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import type { AwakeIndicators } from '../../../src/model/observation.ts'
import type { ReadingState } from '../../../src/model/ledger/reading-state.ts'
import { seconds } from '../../../src/model/units.ts'
import { quietVerdict, type QuietLimits, type QuietVerdict } from '../../../src/observe/reading/quiet-rule.ts'
import { at, look, preset, prices, reading } from '../../support/build.ts'
import { check } from '../../support/property.ts'

const limits: QuietLimits = {
  mode: 'full',
  activityLag: seconds(10),
  deadline: seconds(5),
  minInterval: seconds(300),
}
const active: Partial<Compute> = { state: 'active', startedAt: at(0), lastActive: at(1000) }

function accountOf(over: Partial<ReadingState> = {}): ComputeEntry {
  const ref = { account: 'main', projectId: 'project-one', endpointId: 'ep-one' }
  const facts = {
    ref,
    looks: [look(1000, active)],
    operations: [],
    operationsLost: false,
    operationsRead: true,
    readings: [],
    deletion: undefined,
  }
  const { dayOf } = createUtc()
  const context = {
    prices,
    preset,
    overhead: 0.01,
    now: at(1000),
    dayOf,
    delayOf: () => seconds(300),
    knownDelayOf: () => seconds(300),
  }
  const { entry } = applyFacts(
    { before: newComputeEntry(ref, look(1000, active), false), isNew: true },
    facts,
    context,
  )
  return { ...entry, reading: { ...entry.reading, ...over } }
}

type Case = {
  readonly record?: Partial<Compute>
  readonly now?: number
  readonly delay?: AutosuspendDelay
  readonly limits?: Partial<QuietLimits>
  readonly reading?: Partial<ReadingState>
  readonly gapCounts?: readonly number[]
}

const verdict = (one: Case): QuietVerdict => {
  const now = one.now ?? 1002
  return quietVerdict(
    accountOf(one.reading),
    {
      look: look(now, { ...active, ...one.record }),
      delay: one.delay ?? seconds(300),
      limits: { ...limits, ...one.limits },
      gapCounts: one.gapCounts ?? [],
    },
    at(now),
  )
}

const known = { attempts: 1, credit: seconds(100) }
const read = {
  ...known,
  lastAttemptAt: at(600),
  cacheReadAt: at(600),
  last: { ...reading(), at: at(600) },
}
const causes = { ...reading().causes, working: 1 } as AwakeIndicators
const atWork = { ...read, last: { ...reading({ causes }), at: at(600) }, allowance: seconds(300) }
const NO_PACE = { minInterval: seconds(1) }
const stale = { ...known, lastAttemptAt: at(-50_000), cacheReadAt: at(-50_000) }
const because = (given: Case): string => {
  const found = verdict(given)
  return 'refusal' in found ? found.refusal.because : found.read
}

test.each<[string, Case, string]>([
  ['a new compute right after activity', {}, 'full'],
  ['readings are off', { limits: { mode: 'off' } }, 'mode-off'],
  ['it is asleep', { record: { state: 'idle' } }, 'not-active'],
  ['it is being made', { record: { state: 'init' } }, 'not-active'],
  ['it is about to change', { record: { pendingState: 'idle' } }, 'not-active'],
  ['it is disabled', { record: { disabled: true } }, 'not-active'],
  ['the delay leaves no room', { delay: seconds(15), reading: read }, 'delay-too-short'],
  ['the delay leaves a second of room', { delay: seconds(18), reading: read }, 'full'],
  [
    'the delay leaves no room for a deadline, and it was never read',
    { delay: seconds(7) },
    'delay-too-short',
  ],
  ['the delay leaves room for a deadline, and it was never read', { delay: seconds(11) }, 'full'],
  ['the delay is nearly over', { now: 1286, reading: { ...read, allowance: seconds(300) } }, 'tail'],
  [
    'the last reading is half a day ago and the delay is nearly over',
    { now: 1286, reading: { ...stale, allowance: seconds(300) } },
    'full',
  ],
  ['the first reading would be dear', { now: 1200 }, 'credit'],
  ['nobody has used it since it woke', { record: { lastActive: undefined } }, 'quiet'],
  ['the last activity was before it woke', { record: { startedAt: at(1001) } }, 'quiet'],
  ['a new compute shows nothing but its own start', { record: { startedAt: at(1000) } }, 'quiet'],
  ['somebody woke it a moment ago', { record: { startedAt: at(1000), suspendedAt: at(500) } }, 'full'],
  ['nobody came since our last reading', { reading: { ...read, lastAttemptAt: at(995) } }, 'quiet'],
  [
    'nobody came since a reading in vain, but somebody else woke it after that',
    {
      record: { startedAt: at(998), lastActive: at(999) },
      limits: { minInterval: seconds(1) },
      reading: { ...known, lastAttemptAt: at(995) },
    },
    'full',
  ],
  [
    'nobody came since a reading, which saw a client at work',
    { limits: NO_PACE, reading: { ...atWork, lastAttemptAt: at(600), lastSucceeded: true } },
    'full',
  ],
  [
    'nobody came since a reading in vain, and the one before saw a client at work',
    { limits: NO_PACE, reading: { ...atWork, lastAttemptAt: at(995), lastSucceeded: false } },
    'quiet',
  ],
  ['the last reading was a moment ago', { reading: { ...read, lastAttemptAt: at(960) } }, 'pace'],
  ['the last reading is long ago and there is credit', { reading: read }, 'full'],
  ['there is credit for a light reading only', { reading: { ...read, allowance: seconds(0.4) } }, 'light'],
  [
    'they always come back sooner',
    { now: 1060, reading: { ...read, allowance: seconds(5) }, gapCounts: [0, 0, 90] },
    'credit',
  ],
  [
    'they often come back after that long',
    { now: 1060, reading: { ...read, allowance: seconds(5) }, gapCounts: [0, 0, 0, 0, 0, 0, 90] },
    'full',
  ],
  ['there is no credit', { reading: { ...read, allowance: seconds(0.01) } }, 'credit'],
  ['full readings are off', { limits: { mode: 'light' } }, 'light'],
  ['it never sleeps', { delay: 'never', reading: read }, 'full'],
  [
    'it never sleeps and was just read',
    { delay: 'never', reading: { ...read, lastAttemptAt: at(990) } },
    'pace',
  ],
  [
    'it never sleeps and is near its connection limit',
    {
      delay: 'never',
      reading: {
        ...read,
        lastAttemptAt: at(985),
        last: {
          ...reading({ connections: { active: 400, idle: 0, idleInTransaction: 0, other: 0 } }),
          at: at(985),
        },
      },
    },
    'full',
  ],
])('when %s', (_, given, expected) => {
  expect(because(given)).toBe(expected)
})

const anyCase = fc.record({
  record: fc.record({
    state: fc.constantFrom('init' as const, 'active' as const, 'idle' as const),
    pendingState: fc.constantFrom(undefined, 'active', 'idle'),
    disabled: fc.boolean(),
    lastActive: fc.option(fc.integer({ min: -100, max: 1000 }).map(at), { nil: undefined }),
  }),
  now: fc.integer({ min: 1000, max: 2000 }),
  delay: fc.oneof(fc.constant('never' as const), fc.integer({ min: 1, max: 3600 }).map(seconds)),
  reading: fc.record({
    attempts: fc.integer({ min: 0, max: 3 }),
    lastAttemptAt: fc.option(fc.integer({ min: 0, max: 1000 }).map(at), { nil: undefined }),
    credit: fc.double({ min: -10, max: 300, noNaN: true }).map(seconds),
    gaps: fc.array(fc.nat(100), { maxLength: 12 }),
  }),
})

test('it never lets a compute be read that is not awake, nor one about to fall asleep', () => {
  check(
    fc.property(anyCase, (given) => {
      if ('refusal' in verdict(given)) return
      expect(given.record).toMatchObject({ state: 'active', pendingState: undefined, disabled: false })
      if (given.delay === 'never') return
      const idle = (at(given.now) - (given.record.lastActive ?? 0)) / 1000
      expect(given.delay - idle).toBeGreaterThan(limits.activityLag + limits.deadline)
    }),
  )
})

test('after the first reading nothing is spent that was not earned', () => {
  check(
    fc.property(anyCase, (given) => {
      const found = verdict(given)
      if ('refusal' in found || given.reading.attempts === 0) return
      expect(found.cost).toBeLessThanOrEqual(Math.max(0, given.reading.credit))
    }),
  )
})
