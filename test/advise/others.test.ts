// Advisers of facts and causes, by tables.
import { describe, expect, test } from 'vitest'
import { advise } from '../../src/advise/advise.ts'
import { adviseAwakeForNothing, gapPeriod } from '../../src/advise/awake-for-nothing.ts'
import type { AdviseInput } from '../../src/advise/input.ts'
import { advisePooler } from '../../src/advise/pooler.ts'
import { adviseRefresh } from '../../src/advise/refresh.ts'
import { adviseUnused } from '../../src/advise/unused.ts'
import { culpritKey } from '../../src/ledger/attribution/causes.ts'
import type { AwakeCause, AwakeInterval } from '../../src/model/ledger/evidence.ts'
import type { Gap } from '../../src/model/ledger/gap.ts'
import type { SettledInterval } from '../../src/model/ledger/ledger.ts'
import { eachBound, type DayRow } from '../../src/model/ledger/quantities.ts'
import type { Rollup } from '../../src/model/ledger/rollup.ts'
import { RECOMMENDATION_KINDS, type Proposal } from '../../src/model/policy/recommendation.ts'
import type { Compute } from '../../src/model/service/compute.ts'
import { cuMillis, millis, ratio, seconds } from '../../src/model/units.ts'
import { adviseEntry, adviseInput, adviseRef, awakeInterval as awake } from '../support/advise-input.ts'
import { at, evidence } from '../support/build.ts'
import { recommendation, sizingRecommendation, withheld } from '../support/recommendations.ts'

const DAY = 86_400
/** `adviseInput()` is evaluated on this day. */
const NOW = 30

/** A day of 0.25 CU that was awake for `hours`. */
const dayRow = (day: number, hours: number): DayRow => ({
  ref: adviseRef,
  date: `day ${day}`,
  from: at(day * DAY),
  to: at((day + 1) * DAY),
  awake: eachBound(() => millis(hours * 3_600_000)),
  cuTime: { 106_000: eachBound(() => cuMillis(0.25 * hours * 3_600_000)) },
  idleTail: millis(0),
  observerOverhead: millis(0),
  wakes: 1,
  version: 1,
})

const month = (hours: number) => Array.from({ length: 30 }, (_, day) => dayRow(day, hours))

const inputOf = (record: Partial<Compute>, over: Partial<AdviseInput> = {}, current?: AwakeInterval) =>
  adviseInput({ entry: adviseEntry({ current }, record), days: month(24), ...over })

describe('refresh', () => {
  test.each<[string, Partial<Compute>, AwakeInterval | undefined]>([
    ['a week ago by its record', { state: 'active', startedAt: at((NOW - 7) * DAY) }, undefined],
    ['a week ago at the latest', { state: 'active' }, awake((NOW - 7) * DAY, undefined, NOW * DAY)],
  ])('a compute that was started %s misses updates', (_, record, current) => {
    expect(adviseRefresh(inputOf(record, {}, current))).toMatchObject({
      kind: 'refresh',
      restarts: true,
      saving: { low: 0, likely: 0, high: 0 },
      detail: { kind: 'refresh', startedAt: record.startedAt, ridesWith: undefined },
    })
  })

  test('one that was started later is told when it is due', () => {
    const record: Partial<Compute> = { state: 'active', startedAt: at((NOW - 6) * DAY) }
    expect(adviseRefresh(inputOf(record))).toEqual(
      withheld({ kind: 'refresh', because: 'fits', have: 6, needs: 7, until: at((NOW + 1) * DAY) }),
    )
  })

  test.each<[string, Partial<Compute>]>([
    ['sleeps', { state: 'idle', startedAt: at(0) }],
    ['is disabled', { state: 'active', disabled: true, startedAt: at(0) }],
  ])('one that %s picks them up at its next start', (_, record) => {
    expect(adviseRefresh(inputOf(record))).toMatchObject({ because: 'fits', until: undefined })
  })

  test.each<[string, Proposal | undefined, string | undefined]>([
    ['a new size', sizingRecommendation(), 'sizing'],
    ['autosuspend', recommendation(), 'delay'],
    ['another delay', recommendation({ from: { delay: seconds(300) } }), undefined],
    ['nothing', undefined, undefined],
  ])('it rides along with %s', (_, other, ridesWith) => {
    const input = inputOf({ state: 'active', startedAt: at(0) })
    expect(adviseRefresh(input, other ? [other] : [])).toMatchObject({
      restarts: ridesWith === undefined,
      detail: { ridesWith },
    })
  })
})

describe('unused', () => {
  const old = { createdAt: at(-90 * DAY), lastActive: at(-5 * DAY) }
  const gap = (from: number, to: number): Gap => ({
    ref: adviseRef,
    from: at(from * DAY),
    low: seconds((to - from) * DAY),
    high: seconds((to - from) * DAY),
    hiddenBelow: seconds(0),
  })

  test.each<[string, Partial<Compute>, Partial<AdviseInput>, object]>([
    ['no client for 30 days', old, {}, { what: 'no-clients', since: at(-5 * DAY) }],
    ['never a client', { createdAt: at(-40 * DAY) }, {}, { what: 'no-clients', since: at(-40 * DAY) }],
    [
      'a replica that nobody reads',
      { ...old, type: 'read_only' },
      {},
      { what: 'replica', since: at(-5 * DAY) },
    ],
    ['disabled', { ...old, disabled: true, lastActive: at(0) }, {}, { what: 'disabled', since: at(0) }],
  ])('%s', (_, record, over, detail) => {
    // 24 h of 0.25 CU at 0.106 on each of 30 days
    expect(adviseUnused(inputOf(record, over))).toMatchObject({
      saving: { low: 19_080_000, likely: 19_080_000, high: 19_080_000 },
      detail: { kind: 'unused', ...detail },
      from: {},
      to: {},
    })
  })

  test.each<[string, Partial<Compute>, Partial<AdviseInput>, number]>([
    ['used yesterday', { ...old, lastActive: at(29 * DAY) }, {}, 1],
    ['young', { createdAt: at(10 * DAY) }, {}, 20],
    ['a gap ended a week ago', old, { gaps: [gap(-5, 23)] }, 7],
  ])('a compute that is %s', (_, record, over, have) => {
    expect(adviseUnused(inputOf(record, over))).toEqual(
      withheld({ kind: 'unused', because: 'fits', have, needs: 30, until: undefined }),
    )
  })

  test('activity of an own session is none', () => {
    const session = {
      connectedAt: at(20 * DAY),
      disconnectedAt: at(20 * DAY + 1),
      postmasterStartedAt: undefined,
      activeBefore: undefined,
      sawClients: false,
      counts: true,
      lastClientActivity: undefined,
      hiddenFrom: at(20 * DAY),
      arrivalRate: undefined,
    }
    const entry = adviseEntry(
      { evidence: evidence({ activities: [at(20 * DAY)], ownSessions: [session] }) },
      { ...old, lastActive: at(20 * DAY) },
    )
    expect(adviseUnused(adviseInput({ entry }))).toMatchObject({ detail: { since: at(-90 * DAY) } })
  })
})

const rollup = (day: number, peak: number): Rollup =>
  ({
    ref: adviseRef,
    from: at(day * DAY),
    length: seconds(3600),
    connections: { count: 1, all: { sum: peak, max: peak } },
  }) as Partial<Rollup> as Rollup

describe('pooler', () => {
  // 0.25 CU have 104 connections
  test('direct connections near the limit while the pooler is off', () => {
    expect(advisePooler(inputOf({}, { hours: [rollup(25, 40), rollup(26, 84)] }))).toMatchObject({
      from: { poolerEnabled: false },
      to: { poolerEnabled: true },
      restarts: false,
      effect: { connections: { peak: 84, limit: 10_000 } },
    })
  })

  test('the same while it is on: clients do not use it', () => {
    const result = advisePooler(inputOf({ poolerEnabled: true }, { hours: [rollup(26, 84)] }))
    expect(result).toMatchObject({ from: {}, to: {}, detail: { kind: 'pooler' } })
  })

  test.each<[string, readonly Rollup[], object]>([
    ['few connections', [rollup(26, 83)], { because: 'fits' }],
    ['peaks of older weeks', [rollup(20, 100)], { because: 'no-readings', needs: 7 }],
    ['no readings', [], { because: 'no-readings', needs: 7 }],
  ])('%s', (_, hours, expected) => {
    expect(advisePooler(inputOf({}, { hours }))).toMatchObject(expected)
  })
})

const culprit = (cause: AwakeCause, application = '') => ({ cause, application, user: 'app', database: 'db' })

/** Awake for 10 h of a day, `held` of them by the cause. */
const heldDay = (day: number, cause: AwakeCause, held: number): SettledInterval => ({
  ref: adviseRef,
  interval: awake(day * DAY, day * DAY + 36_000),
  cuTime: { 106_000: eachBound(() => cuMillis(0.25 * 36_000_000)) },
  idleTail: millis(0),
  attribution: { [culpritKey(culprit(cause, 'pool'))]: millis(held * 3_600_000) },
})

const heldMonth = (cause: AwakeCause, held: number, over: Partial<AdviseInput> = {}) =>
  inputOf(
    { autosuspendDelay: seconds(300) },
    {
      days: month(10),
      intervals: Array.from({ length: 30 }, (_, day) => heldDay(day, cause, held)),
      ...over,
    },
  )

const everyTenMinutes = Array.from({ length: 40 }, (_, index): Gap => {
  const length = seconds(index % 2 === 0 ? 600 : 590 + index)
  return {
    ref: adviseRef,
    from: at(5 * DAY + index * 600),
    low: length,
    high: length,
    hiddenBelow: seconds(0),
  }
})

describe('awake for nothing', () => {
  test.each<[AwakeCause, string]>([
    ['idle-in-transaction', 'end-transaction'],
    ['keep-alive', 'idle-timeout'],
    ['replication', 'drop-slot'],
  ])('%s has the fix %s', (cause, fix) => {
    // 28 of 28 days × 5 h × 0.25 CU × 0.106, scaled to 30; the lower end leaves 300 s to each interval
    expect(adviseAwakeForNothing(heldMonth(cause, 5))).toMatchObject({
      kind: 'awake-for-nothing',
      saving: { low: 3_908_750, likely: 3_975_000, high: 3_975_000 },
      spend: { likely: 7_950_000 },
      confidence: 'high',
      grounds: { followed: 0.5 },
      detail: { culprit: culprit(cause, 'pool'), period: undefined, fix },
    })
  })

  test('clients that come at regular times are a job', () => {
    expect(adviseAwakeForNothing(heldMonth('clients', 5, { gaps: everyTenMinutes }))).toMatchObject({
      detail: { fix: 'move-job', period: 600 },
    })
  })

  test.each<[string, AdviseInput, object]>([
    ['other clients have a use', heldMonth('clients', 5), { because: 'fits' }],
    ['autosuspend is another matter', heldMonth('autosuspend-off', 10), { because: 'fits' }],
    [
      'a cause of little time',
      heldMonth('keep-alive', 1),
      { because: 'saving-small', have: 795_000, needs: 795_000 },
    ],
    ['a compute that sleeps', inputOf({}), { because: 'fits' }],
    [
      'no readings',
      inputOf({}, { intervals: [{ ...heldDay(20, 'clients', 1), attribution: {} }] }),
      { because: 'no-readings' },
    ],
    [
      'a short history',
      inputOf(
        {},
        {
          settings: [{ ref: adviseRef, since: at(28 * DAY), delay: 'never', sizing: { fixed: 1 as never } }],
        },
      ),
      { because: 'history-short', have: 2, needs: 3, until: at(31 * DAY) },
    ],
  ])('%s', (_, input, expected) => {
    expect(adviseAwakeForNothing(input)).toMatchObject(expected)
  })

  test('a transaction that never ends holds the interval in progress', () => {
    const from = NOW * DAY - 10 * DAY
    const key = culpritKey(culprit('idle-in-transaction'))
    const slice = { from: at(from), to: at(NOW * DAY) }
    const entry = adviseEntry(
      {
        current: awake(from, undefined, NOW * DAY),
        evidence: evidence({ attributed: [{ ...slice, by: { [key]: millis(5 * DAY * 1000) } }] }),
        partlySettled: {
          interval: awake(from, undefined, NOW * DAY),
          cuTime: { 106_000: eachBound(() => cuMillis(0.25 * 10 * DAY * 1000)) },
        },
      },
      { state: 'active', autosuspendDelay: seconds(300) },
    )
    // 5 of 28 days × 24 h × 0.25 CU × 0.106, scaled to 30
    expect(adviseAwakeForNothing(adviseInput({ entry, days: month(8) }))).toMatchObject({
      saving: { likely: 3_407_143 },
      detail: { fix: 'end-transaction', culprit: culprit('idle-in-transaction') },
      grounds: { followed: ratio(0.5) },
    })
  })
})

const gapsOf = (...lengths: number[]): readonly Gap[] =>
  lengths.map((length) => ({
    ref: adviseRef,
    from: at(0),
    low: seconds(length - 10),
    high: seconds(length + 10),
    hiddenBelow: seconds(0),
  }))

test.each<[string, readonly Gap[], number | undefined]>([
  ['half of the gaps', gapsOf(300, 310, 295, 305, 300, 60, 900, 2000, 7000, 80_000), 300],
  ['less than half', gapsOf(300, 310, 295, 305, 400, 60, 900, 2000, 7000, 80_000), undefined],
  ['few gaps', gapsOf(300, 300, 300), undefined],
  ['no gaps', [], undefined],
])('the period of %s', (_, gaps, period) => {
  expect(gapPeriod(gaps)).toBe(period)
})

test('each kind is proposed or withheld, and what the policy leaves out is withheld', () => {
  const input = inputOf({ createdAt: at(-90 * DAY) }, { gaps: everyTenMinutes })
  const all = advise(input)
  const kinds = [...all.proposals, ...all.withheld].map(({ kind }) => kind)
  expect(kinds.toSorted()).toEqual([...new Set(kinds)].toSorted())
  const none = advise({ ...input, policy: { ...input.policy, kinds: [] } })
  expect(none.proposals).toEqual([])
  expect(none.withheld.map(({ because }) => because)).toEqual(kinds.map(() => 'policy'))
  expect(RECOMMENDATION_KINDS).toEqual(expect.arrayContaining(kinds))
})
