// Restarts for updates, unused computes, the pooler, and all kinds together.
import { describe, expect, test } from 'vitest'
import { advise, advisePooler, adviseRefresh } from '../../src/advise/advise.ts'
import type { AdviseInput } from '../../src/advise/input.ts'
import { adviseUnused } from '../../src/advise/unused.ts'
import type { AwakeInterval } from '../../src/model/ledger/evidence.ts'
import type { Gap } from '../../src/model/ledger/gap.ts'
import type { Rollup } from '../../src/model/ledger/rollup.ts'
import { RECOMMENDATION_KINDS, type Proposal } from '../../src/model/policy/recommendation.ts'
import type { AutosuspendDelay, Compute, Sizing } from '../../src/model/service/compute.ts'
import { after, cu, cuMillis, HOUR, micros, seconds } from '../../src/model/units.ts'
import {
  adviseEntry,
  adviseInput,
  adviseRef,
  awakeInterval as awake,
  inputAfterMonth as inputOf,
  month,
} from '../support/advise-input.ts'
import { at, evidence, project } from '../support/build.ts'
import { delayInput, gapsOf, HOURLY } from './delay/delay-input.ts'
import { recommendation, sizingRecommendation, withheld } from '../support/recommendations.ts'

const DAY = 86_400
/** `adviseInput()` is evaluated on this day. */
const NOW = 30

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

  test("saves no more than today's size costs, though it may have been larger before the first look", () => {
    const days = month(24).map((day) => ({
      ...day,
      cuTime: { 106_000: { low: cuMillis(0), likely: cuMillis(6 * HOUR), high: cuMillis(56 * 24 * HOUR) } },
    }))
    expect(adviseUnused(inputOf(old, { days }))).toMatchObject({
      saving: { low: 0, likely: 19_080_000, high: 19_080_000 },
    })
  })

  test('saves what it costs on the days on which something wakes it: those on which it sleeps have no rows', () => {
    const days = month(24).filter((_, day) => day % 7 === 0)
    expect(adviseUnused(inputOf(old, { days }))).toMatchObject({
      saving: { likely: (19_080_000 * 5) / 30 },
      grounds: { days: 30 },
    })
  })

  const unread = {
    project: project(),
    listed: { at: at(0), updatedAt: at(0), cpuUsedSeconds: 0, endpointIds: [], needsBackfill: true as const },
  }
  test.each<[string, Partial<Compute>, Partial<AdviseInput>]>([
    ['whose operations were not read', old, { days: [], project: unread }],
    ['disabled, whose operations were not read', { ...old, disabled: true }, { days: [], project: unread }],
    ['awake, with no day yet', { ...old, state: 'active' }, { days: [] }],
  ])('a compute %s: what it costs is not known yet', (_, record, over) => {
    const until = at(NOW * DAY + 3600)
    expect(adviseUnused(inputOf(record, over))).toEqual(
      withheld({ kind: 'unused', because: 'history-short', have: 0, needs: 0, until }),
    )
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

test('each kind is proposed or withheld, and what the policy leaves out is withheld', () => {
  const input = inputOf({ createdAt: at(-90 * DAY) })
  const all = advise(input)
  const kinds = [...all.proposals, ...all.withheld].map(({ kind }) => kind)
  expect(kinds.toSorted()).toEqual([...new Set(kinds)].toSorted())
  const none = advise({ ...input, policy: { ...input.policy, kinds: [] } })
  expect(none.proposals).toEqual([])
  expect(none.withheld.map(({ because }) => because)).toEqual(kinds.map(() => 'policy'))
  expect(RECOMMENDATION_KINDS).toEqual(expect.arrayContaining(kinds))
})

const ascending = ({ low, likely, high }: Proposal['saving']) => [low, likely, high].toSorted((a, b) => a - b)

/** The defaults are those of a project. */
const OF_COMPUTES = RECOMMENDATION_KINDS.filter((kind) => kind !== 'defaults')

describe('each kind has one answer with figures', () => {
  const [FIXED, LARGE] = [{ fixed: cu(1) }, { fixed: cu(4) }]
  const setting = (day: number, delay: AutosuspendDelay, sizing: Sizing) => ({
    ref: adviseRef,
    since: at(day * DAY),
    delay,
    sizing,
  })
  const gaps = gapsOf(HOURLY)
  const later = gaps.map((gap) => ({ ...gap, from: after(gap.from, seconds(20 * DAY)) }))
  const priced = (...perCuHour: readonly number[]) => ({
    currency: 'USD',
    periods: perCuHour.map((price, index) => ({ from: at((index - 10) * DAY), perCuHour: micros(price) })),
  })

  test.each<[string, AdviseInput]>([
    ['an empty history', delayInput({ settings: [] })],
    [
      'a history of an hour',
      delayInput({ settings: [setting(-1 / 24, seconds(300), FIXED)], gaps: gaps.slice(-1) }),
    ],
    [
      'resized in the middle',
      delayInput({ gaps, settings: [setting(-20, seconds(300), LARGE), setting(-9, seconds(300), FIXED)] }),
    ],
    [
      'delay changed',
      delayInput({ gaps, settings: [setting(-20, seconds(300), FIXED), setting(-9, 'never', FIXED)] }),
    ],
    ['gone and back', delayInput({ gaps }, { createdAt: at(-DAY) })],
    [
      'our clock went back',
      delayInput(
        { gaps: later, settings: [setting(5, seconds(300), FIXED)] },
        { createdAt: at(5 * DAY), lastActive: at(5 * DAY) },
      ),
    ],
    ['prices that change', delayInput({ gaps, prices: priced(106_000, 222_000, 50_000) })],
    ['a price of nothing', delayInput({ gaps, prices: priced(106_000, 0) })],
  ])('%s', (_, input) => {
    const { proposals, withheld: reasons } = advise(input)
    const kinds = [...proposals, ...reasons].map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(OF_COMPUTES.toSorted())
    // JSON has null for what is no number
    expect(JSON.stringify([proposals, reasons])).not.toContain('null')
    for (const { saving } of proposals)
      expect([saving.low, saving.likely, saving.high]).toEqual(ascending(saving))
    for (const { until } of reasons) expect(until ?? Infinity).toBeGreaterThan(input.now)
  })
})
