import { describe, expect, test } from 'vitest'
import type { NotifiableEvent } from '../../../src/model/output/event-kinds.ts'
import { NO_OWNER } from '../../../src/model/policy/owner.ts'
import { cuMillis, micros, seconds } from '../../../src/model/units.ts'
import type { Subscription } from '../../../src/model/output/subscription.ts'
import { isRepeat, matchesSubscription, eventMessage } from '../../../src/outputs/notify/messages.ts'
import { at } from '../../support/build.ts'

const rung = (percent: 50 | 80 | 100 | 110): NotifiableEvent => ({
  account: 'main',
  at: at(0),
  kind: 'budget-rung',
  budget: 'previews',
  rung: percent,
  spent: { low: 90_000_000, likely: 100_000_000, high: 110_500_000 },
  limit: { unit: 'money', amount: micros(200_000_000), currency: 'USD' },
  period: { from: at(-86_400), to: at(86_400) },
})
const refused: NotifiableEvent = { account: 'main', at: at(0), kind: 'key-refused' }
const accepted: NotifiableEvent = { account: 'main', at: at(60), kind: 'key-accepted' }
const payments = { ...NO_OWNER, team: 'payments', channel: '#payments' }

const subscription = (over: Partial<Subscription> = {}): Subscription => ({
  events: undefined,
  minSeverity: 'warning',
  team: undefined,
  channel: undefined,
  repeatAfter: seconds(14_400),
  ...over,
})

describe('subscriptions', () => {
  test.each<[string, NotifiableEvent, Partial<Subscription>, boolean]>([
    ['half of a budget is no warning', rung(50), {}, false],
    ['most of it is', rung(80), {}, true],
    ['most of it is not critical', rung(80), { minSeverity: 'critical' }, false],
    ['all of it is', rung(100), { minSeverity: 'critical' }, true],
    ['a kind that is asked for', rung(50), { minSeverity: 'info', events: ['budget-rung'] }, true],
    ['another kind', rung(110), { events: ['problem'] }, false],
    ['its team', rung(100), { team: 'payments' }, true],
    ['another team', rung(100), { team: 'web' }, false],
    ['its channel', rung(100), { channel: '#payments' }, true],
    ['another channel', rung(100), { channel: '#web' }, false],
  ])('%s', (_, event, over, wanted) => {
    expect(matchesSubscription(event, payments, { sink: 'ops', subscription: subscription(over) })).toBe(
      wanted,
    )
  })

  test('a receiver is not notified that its own delivery failed', () => {
    const event: NotifiableEvent = {
      account: 'main',
      at: at(0),
      kind: 'delivery-failed',
      sink: 'ops',
      what: 'event',
      because: 'answered 500',
    }
    const asked = ['ops', 'boss'].map((sink) =>
      matchesSubscription(event, NO_OWNER, { sink, subscription: subscription() }),
    )
    expect(asked).toEqual([false, true])
  })
})

test('a repeat is sent only after a while, a change back at once', () => {
  const later = (when: number): NotifiableEvent => ({ ...refused, at: at(when) })
  const after = seconds(600)
  expect([
    isRepeat(refused, undefined, after),
    isRepeat(later(599), refused, after),
    isRepeat(later(600), refused, after),
    isRepeat(later(120), accepted, after),
  ]).toEqual([false, true, false, false])
})

test('a message says what happened, in whole units, with a key of its receiver', () => {
  const message = eventMessage({ key: 'budget/previews/1/80', event: rung(80) }, 'ops')
  expect(message).toEqual({
    key: 'main/budget/previews/1/80/ops',
    account: 'main',
    subject: '[warning] Budget previews: 80 % of 200 USD reached (main)',
    text: 'Budget previews: 80 % of 200 USD reached\nwarning, account main, 2026-01-05T00:00:00Z',
    body: {
      version: 1,
      key: 'budget/previews/1/80',
      kind: 'budget-rung',
      severity: 'warning',
      account: 'main',
      at: '2026-01-05T00:00:00Z',
      text: 'Budget previews: 80 % of 200 USD reached',
      budget: 'previews',
      rung: 80,
      limit: 200,
      unit: 'USD',
      spent: { low: 90, likely: 100, high: 110.5 },
      from: '2026-01-04T00:00:00Z',
      to: '2026-01-06T00:00:00Z',
    },
    attachments: [],
  })
  const hours: NotifiableEvent = {
    ...rung(100),
    at: at(0.543),
    limit: { unit: 'cu_hours', amount: cuMillis(36_000_000) },
  } as NotifiableEvent
  const { subject, text } = eventMessage({ key: 'k', event: hours }, 'ops')
  expect(subject).toContain('100 % of 10 cu_hours reached')
  expect(text).toMatch(/, 2026-01-05T00:00:00Z$/)
})
