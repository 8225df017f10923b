import { expect, test } from 'vitest'
import type { DisplayedState, AwakeReason } from '../../../src/model/output/snapshot.ts'
import { bytes, micros, millis } from '../../../src/model/units.ts'
import { awakeCauseText, explanationLines, awakeReasonText } from '../../../src/outputs/text/explain.ts'
import { at } from '../../support/build.ts'
import { snapshotOf } from '../../support/fleet-snapshot.ts'
import { viewWith } from '../../support/view-with.ts'

const tail = (end: 'ahead' | 'due' | 'overdue', ours = false): AwakeReason => ({
  because: 'idle-tail',
  since: at(0.543),
  until: at(300.001),
  end,
  ours,
})

test.each([
  [tail('ahead'), 'no activity seen since 2026-01-05T00:00:00Z; suspends about 2026-01-05T00:05:00Z'],
  [
    tail('ahead', true),
    'no activity seen since 2026-01-05T00:00:00Z except readings of Dormouse; suspends about 2026-01-05T00:05:00Z',
  ],
  [
    tail('due'),
    'no activity seen since 2026-01-05T00:00:00Z; its suspension about 2026-01-05T00:05:00Z has not been seen yet',
  ],
  [
    tail('overdue'),
    'no activity seen since 2026-01-05T00:00:00Z; should have been suspended about 2026-01-05T00:05:00Z; what keeps it awake is not known',
  ],
  [{ because: 'unknown', since: at(60.999) }, 'not seen since 2026-01-05T00:01:00Z'],
  [{ because: 'unknown', since: undefined }, 'the reason is not known'],
] satisfies readonly (readonly [AwakeReason, string])[])(
  '%j is told in words, to the second',
  (why, text) => {
    expect([awakeReasonText(why), awakeCauseText(why)]).toEqual([text, text])
  },
)

test.each([
  [
    { because: 'asleep', since: at(60.25) },
    'asleep since 2026-01-05T00:01:00Z',
    'since 2026-01-05T00:01:00Z',
  ],
  [{ because: 'asleep', since: undefined }, 'asleep', undefined],
  [{ because: 'starting' }, 'starting', undefined],
] satisfies readonly (readonly [AwakeReason, string, string | undefined])[])(
  '%j does not repeat its state',
  (why, alone, beside) => {
    expect([awakeReasonText(why), awakeCauseText(why)]).toEqual([alone, beside])
  },
)

const [view] = snapshotOf(1).computes
if (!view) throw new Error('there is one')

test.each([
  ['active', { because: 'clients', working: 3, application: 'web' }, 'awake: 3 working: web'],
  ['active', { because: 'unknown', since: undefined }, 'awake: the reason is not known'],
  ['idle', { because: 'asleep', since: at(60) }, 'asleep since 2026-01-05T00:01:00Z'],
  ['idle', { because: 'disabled' }, 'asleep: disabled'],
  ['init', { because: 'starting' }, 'starting'],
  ['unknown', { because: 'unknown', since: at(60) }, 'unknown: not seen since 2026-01-05T00:01:00Z'],
] satisfies readonly (readonly [DisplayedState, AwakeReason, string])[])(
  'a compute that is %s because of %j is explained in the words of the pages',
  (shown, reason, line) => {
    expect(explanationLines(viewWith(view, { state: { shown, reason } }))).toContain(line)
  },
)

test('amounts are told as everywhere, and no range of one value', () => {
  const changed = viewWith(view, {
    ledger: {
      awake: { low: millis(5_999_000), likely: millis(6_000_000), high: millis(6_001_000) },
      spend: { low: micros(106_000), likely: micros(106_000), high: micros(123_456_789_012) },
      idleTail: millis(0),
      observerOverhead: millis(300_000),
    },
    reading: { cacheLimit: bytes(0) },
  })
  const lines = explanationLines(changed)
  expect(lines).toContain('awake 1.7 h in all; spend 0.11 USD (0.11 USD to 123,456.79 USD)')
  expect(lines).toContain('of that after the last activity 0 s; added by readings of Dormouse 5 min')
})

test('a compute that somebody suspended is not said to be never suspended where autosuspend is off', () => {
  const asleep = viewWith(view, {
    state: { shown: 'idle', reason: { because: 'asleep', since: at(60) }, delay: 'never' },
  })
  expect(explanationLines(asleep).slice(1, 3)).toEqual([
    'asleep since 2026-01-05T00:01:00Z',
    'autosuspend is off: no suspension comes by itself',
  ])
})

test('what kept a compute awake costs its share of the spend that is shown', () => {
  const spend = { low: micros(1_000_000), likely: micros(2_000_000), high: micros(9_000_000) }
  const cause = { cause: 'clients', application: 'web', user: 'app', database: 'main' } as const
  const awakeBy = [{ ...cause, time: millis(60_000), spend: micros(500_000) }]
  const shown = {
    amount: { low: 3_000_000, likely: 3_000_000, high: 3_000_000 },
    basis: 'consumption',
    until: at(0),
    untilDate: '2026-01-05',
  } as const
  const moneyOf = (ledger: Partial<typeof view.ledger>) =>
    explanationLines(viewWith(view, { ledger: { spend, awakeBy, ...ledger } }))
      .find((line) => line.startsWith('held awake by'))
      ?.split(', ')
      .at(-1)
  expect([moneyOf({ shown: undefined }), moneyOf({ shown })]).toEqual(['0.50 USD', '0.75 USD'])
})
