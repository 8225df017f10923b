// Causes that keep a compute awake for nothing, by tables.
import { describe, expect, test } from 'vitest'
import { adviseAwakeForNothing, gapPeriod } from '../../src/advise/awake-for-nothing.ts'
import type { AdviseInput } from '../../src/advise/input.ts'
import { culpritKey } from '../../src/ledger/attribution/causes.ts'
import type { AwakeCause } from '../../src/model/ledger/evidence.ts'
import type { Gap } from '../../src/model/ledger/gap.ts'
import type { SettledInterval } from '../../src/model/ledger/ledger.ts'
import { eachBound } from '../../src/model/ledger/quantities.ts'
import { cuMillis, millis, ratio, seconds } from '../../src/model/units.ts'
import {
  adviseEntry,
  adviseInput,
  adviseRef,
  awakeInterval as awake,
  inputAfterMonth as inputOf,
  month,
} from '../support/advise-input.ts'
import { at, evidence } from '../support/build.ts'

const DAY = 86_400
/** `adviseInput()` is evaluated on this day. */
const NOW = 30

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
