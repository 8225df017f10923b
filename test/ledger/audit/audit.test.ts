import { expect, test } from 'vitest'
import { buildAudit, type AuditInput } from '../../../src/ledger/audit/audit.ts'
import type { Consumption } from '../../../src/model/service/consumption.ts'
import type { Withheld } from '../../../src/model/policy/recommendation.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import type { DayRow } from '../../../src/model/ledger/quantities.ts'
import { cuMillis, micros, millis, seconds } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { recommendation, withheld } from '../../support/recommendations.ts'
import { at, ledger, look, prices, project, sweep } from '../../support/build.ts'

const DAY = 86_400
const HOUR = 3_600_000
const DAYS = 28

const ref = (endpointId: string) => ({ account: 'main', projectId: 'project-one', endpointId })

const known = (...computes: readonly Partial<Compute>[]): AuditInput['ledger'] =>
  accounted(
    ledger(),
    sweep(0, {
      projects: [project({ name: 'shop' })],
      looks: computes.map((one) => look(0, { createdAt: at(-100 * DAY), ...one })),
    }),
    { prices, overhead: 0, now: at(0) },
  ).ledger

/** Day `index` of the audit, awake for `awake` hours at 1 CU, the last `tail` of them idle. */
const day = (
  index: number,
  endpointId: string,
  { awake, tail = 0, wakes = 1, size = 1 }: { awake: number; tail?: number; wakes?: number; size?: number },
): DayRow => {
  const time = millis(awake * HOUR)
  const used = cuMillis(size * awake * HOUR)
  return {
    ref: ref(endpointId),
    date: `day-${index}`,
    from: at(index * DAY),
    to: at((index + 1) * DAY),
    awake: { low: time, likely: time, high: time },
    cuTime: { 106000: { low: used, likely: used, high: cuMillis(4 * used) } },
    idleTail: millis(tail * HOUR),
    observerOverhead: millis(0),
    wakes,
    version: 1,
  }
}

const every = (endpointId: string, what: Parameters<typeof day>[2]): DayRow[] =>
  Array.from({ length: DAYS }, (_, index) => day(index, endpointId, what))

const audited = (over: Partial<AuditInput>) =>
  buildAudit({
    ledger: known({}),
    days: [],
    consumption: [],
    keys: [],
    prices,
    advice: new Map(),
    from: at(0),
    to: at(DAYS * DAY),
    ...over,
  })

test('sums, weeks and shares are those of the days', () => {
  const { total, weeks, byCompute, counted } = audited({
    days: every('ep-one', { awake: 6, tail: 1, wakes: 2 }),
  })
  expect(total).toMatchObject({ awake: { likely: DAYS * 6 * HOUR }, idleTail: DAYS * HOUR, wakes: 2 * DAYS })
  expect(total.spend.likely).toBe(DAYS * 6 * 106_000)
  expect(total.tailSpend).toBe(DAYS * 106_000)
  expect(weeks.map(({ spend }) => spend)).toEqual(Array.from({ length: 4 }, () => 7 * 6 * 106_000))
  expect(byCompute[0]).toMatchObject({ projectName: 'shop', awakeShare: 0.25 })
  expect(counted).toBe(0)
})

test('weeks before anything was awake are left out', () => {
  expect(audited({ days: [day(20, 'ep-one', { awake: 1 })] }).weeks).toHaveLength(2)
  expect(audited({}).weeks).toEqual([])
})

const consumed = (index: number, hours: number): Consumption => ({
  projectId: 'project-one',
  subscription: 'launch',
  from: at(index * DAY),
  to: at((index + 1) * DAY),
  amounts: { compute_unit_seconds: hours * 3600 },
})

test('what the service counted of a day is what it cost, shared out as the ledger has it; a day it has not counted is likely like the others', () => {
  const { total, byCompute, counted } = audited({
    ledger: known({}, { endpointId: 'ep-two' }),
    days: [day(0, 'ep-one', { awake: 3 }), day(0, 'ep-two', { awake: 1 }), day(27, 'ep-one', { awake: 3 })],
    consumption: [consumed(0, 8), consumed(27, 99)],
  })
  expect(byCompute.map(({ ref: { endpointId }, cuTime }) => [endpointId, cuTime.likely / HOUR])).toEqual([
    ['ep-one', 6 + 6],
    ['ep-two', 2],
  ])
  expect(total.cuTime).toEqual({ low: 11 * HOUR, likely: 14 * HOUR, high: 20 * HOUR })
  expect(counted).toBeCloseTo(8 / 14)
})

const keyOf = (endpointId: string) => `main/project-one/${endpointId}`

/** Every given compute's delay is withheld for the same reason. */
const undecidedAll = (because: Withheld['because'], ...endpointIds: readonly string[]) => ({
  advice: new Map(
    endpointIds.map((id) => [keyOf(id), { recommendations: [], withheld: [withheld({ because })] }] as const),
  ),
})

test('a compute with autosuspend off that operations cannot judge is listed with its whole spend', () => {
  const { undecided } = audited({
    ledger: known({ autosuspendDelay: 'never' }),
    days: every('ep-one', { awake: 24, wakes: 0 }),
    ...undecidedAll('not-followed', 'ep-one'),
  })
  expect(undecided).toEqual([
    {
      ref: ref('ep-one'),
      projectName: 'shop',
      delay: 'never',
      withheld: withheld({ because: 'not-followed' }),
      cost: 'autosuspend-off',
      spend: DAYS * 24 * 106_000,
    },
  ])
})

test('one with autosuspend on is listed with its idle tails, or its whole spend if it never suspends', () => {
  const { undecided } = audited({
    ledger: known({ autosuspendDelay: seconds(1800) }, { endpointId: 'ep-two' }),
    days: [...every('ep-one', { awake: 6, tail: 2, wakes: 4 }), ...every('ep-two', { awake: 24, wakes: 0 })],
    ...undecidedAll('history-short', 'ep-one', 'ep-two'),
  })
  expect(undecided).toMatchObject([
    { ref: ref('ep-two'), cost: 'always-awake', spend: DAYS * 24 * 106_000 },
    { ref: ref('ep-one'), cost: 'idle-tails', spend: DAYS * 2 * 106_000 },
  ])
})

test('what is decided, whatever it says, and what costs nothing is not listed as undecided', () => {
  const tails = every('ep-one', { awake: 6, tail: 2 })
  for (const because of ['fits', 'plan-fixed', 'policy', 'unsure', 'dismissed', 'saving-small'] as const)
    expect(audited({ days: tails, ...undecidedAll(because, 'ep-one') }).undecided).toEqual([])
  for (const because of ['not-followed', 'history-short', 'plan-unknown', 'no-readings'] as const)
    expect(audited({ days: tails, ...undecidedAll(because, 'ep-one') }).undecided).toHaveLength(1)
  const free = every('ep-one', { awake: 6 })
  expect(audited({ days: free, ...undecidedAll('not-followed', 'ep-one') }).undecided).toEqual([])
})

const saving = (amount: number) => {
  const value = micros(amount)
  return recommendation({ saving: { low: value, likely: value, high: value } })
}

test('recommendations come with the largest saving first', () => {
  const advice = new Map([
    [keyOf('ep-one'), { recommendations: [saving(1), saving(3)], withheld: [] }],
    [keyOf('ep-two'), { recommendations: [saving(2)], withheld: [] }],
  ])
  const { recommendations } = audited({ ledger: known({}, { endpointId: 'ep-two' }), advice })
  expect(
    recommendations.map(
      ({
        recommendation: {
          saving: { likely },
        },
      }) => likely,
    ),
  ).toEqual([3, 2, 1])
  expect(recommendations[0]?.projectName).toBe('shop')
})

test('one that was never used is told; one that was made only now is not', () => {
  expect(audited({}).findings).toMatchObject([{ kind: 'unused', ref: ref('ep-one') }])
  expect(audited({ ledger: known({ createdAt: at(DAYS * DAY - 60) }) }).findings).toEqual([])
})

test('keys that are old, or that nobody uses, are told; revoked ones are not', () => {
  const key = {
    keyId: 1,
    name: 'ci',
    createdAt: at(DAYS * DAY - 200 * DAY),
    lastUsedAt: at(DAYS * DAY - DAY),
    lastUsedFrom: undefined,
    revoked: false,
  }
  const { findings } = audited({
    ledger: ledger(),
    keys: [
      key,
      { ...key, keyId: 2, revoked: true },
      { ...key, keyId: 3, createdAt: at(DAYS * DAY - 61 * DAY), lastUsedAt: undefined },
      { ...key, keyId: 4, createdAt: at(DAYS * DAY - 61 * DAY) },
    ],
  })
  expect(findings).toEqual([
    { kind: 'old-key', name: 'ci', keyId: 1, days: 200, unusedDays: 1 },
    { kind: 'old-key', name: 'ci', keyId: 3, days: 61, unusedDays: undefined },
  ])
})
