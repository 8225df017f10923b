// Delays before the first look, from how long a compute stayed awake.
import { describe, expect, test } from 'vitest'
import { delayBeforeLooks, pastDelaysOf } from '../../../src/ledger/evidence/past-delay.ts'
import { EMPTY_EVIDENCE } from '../../../src/ledger/evidence/evidence.ts'
import type { AutosuspendDelay } from '../../../src/model/service/compute.ts'
import type { Operation } from '../../../src/model/service/operation.ts'
import { instant, seconds } from '../../../src/model/units.ts'
import { at, operation } from '../../support/build.ts'

const HOUR = 3600

type Past = Readonly<{ operations: readonly Operation[]; until: number }>

/** Awake for each of `lengths` seconds, once every two hours from `from` on. */
const awakeFor = (from: number, lengths: readonly number[]): Past => ({
  operations: lengths.flatMap((length, index) => [
    operation('start_compute', from + index * 2 * HOUR),
    operation('suspend_compute', from + index * 2 * HOUR + length),
  ]),
  until: from + lengths.length * 2 * HOUR,
})

/** A change of settings of an idle compute. */
const changeAt = (second: number) => operation('apply_config', second)

/** Awake times before a change of settings, and after it. */
function changed(before: readonly number[], after: readonly number[]) {
  const first = awakeFor(0, before)
  const second = awakeFor(first.until, after)
  return {
    operations: [...first.operations, changeAt(first.until - 60), ...second.operations],
    changedAt: at(first.until - 60),
  }
}

const times = (count: number, length: number): readonly number[] =>
  Array.from({ length: count }, () => length)

const delaysOf = (operations: readonly Operation[], delay: AutosuspendDelay) =>
  pastDelaysOf(operations, delay).map(({ until, delay: then }) => [until, then])

describe('before a change of settings the delay was', () => {
  test('shorter, where the compute was suspended sooner than the present one allows', () => {
    const { operations, changedAt } = changed(times(20, 62), times(20, 3610))
    expect(delaysOf(operations, seconds(3600))).toEqual([[changedAt, 62]])
  })

  test('shorter, where autosuspend is off since', () => {
    const { operations, changedAt } = changed(times(20, 302), [])
    expect(delaysOf(operations, 'never')).toEqual([[changedAt, 302]])
  })

  test('longer, where uses are momentary since', () => {
    const { operations, changedAt } = changed(times(20, 1802), times(20, 302))
    expect(delaysOf(operations, seconds(300))).toEqual([[changedAt, 1802]])
  })

  test('not longer, where uses are long since, too', () => {
    const { operations } = changed(times(20, 1802), times(20, 1500))
    expect(delaysOf(operations, seconds(300))).toEqual([])
  })

  test('the present one, where few awake times are known or few are shorter', () => {
    for (const before of [times(4, 62), [62, 62, ...times(28, 3610)]])
      expect(delaysOf(changed(before, times(20, 3610)).operations, seconds(3600))).toEqual([])
  })
})

test('without a change of settings it was shorter where the compute was suspended sooner, unless autosuspend is off', () => {
  const { operations } = awakeFor(0, times(20, 62))
  expect(delaysOf(operations, seconds(300))).toEqual([[instant(Infinity), 62]])
  expect(delaysOf(operations, 'never')).toEqual([])
})

test('a suspension that belongs to a change of settings says nothing', () => {
  const operations = Array.from({ length: 20 }, (_, index) => [
    operation('start_compute', index * 2 * HOUR),
    operation('apply_config', index * 2 * HOUR + 30),
    operation('suspend_compute', index * 2 * HOUR + 31),
  ]).flat()
  expect(delaysOf(operations, seconds(300))).toEqual([])
})

const endAt = (second: number) => ({
  earliest: at(second),
  likely: at(second),
  latest: at(second),
  source: 'operation' as const,
})

test('a look before the suspension shows the delay', () => {
  const pastDelays = [{ from: at(0), until: at(HOUR), delay: seconds(60) }]
  const delays = { delay: seconds(300), pastDelays }
  const record = {
    startedAt: undefined,
    suspendedAt: undefined,
    lastActive: undefined,
    updatedAt: at(0),
    holds: seconds(300),
    unusedUntil: undefined,
  }
  const look = { state: 'active' as const, askedAt: at(100), answeredAt: at(100), record }
  const looked = { ...EMPTY_EVIDENCE, states: [look] }
  expect(delayBeforeLooks(endAt(50), looked, delays)).toBe(60)
  expect(delayBeforeLooks(endAt(150), looked, delays)).toBe(300)
  expect(delayBeforeLooks(endAt(HOUR), EMPTY_EVIDENCE, delays)).toBe(300)
})
