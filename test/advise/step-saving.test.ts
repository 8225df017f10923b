import { describe, expect, test } from 'vitest'
import { stepSaving, type StepPast } from '../../src/advise/step-saving.ts'
import { cu, cuMillis, HOUR, instant, micros, millis, seconds } from '../../src/model/units.ts'
import { at } from '../support/build.ts'

const DAY = 24 * HOUR
const NOW = at(28 * 86_400)
const REST = { from: NOW, to: instant(NOW + 10 * DAY) }
const exactly = <Value>(value: Value) => ({ low: value, likely: value, high: value })

/** Of each of 28 days awake for six hours at 1 CU, with gaps of an hour; 1 unit of currency a CU-hour. */
const PAST: StepPast = {
  sizing: { min: cu(0.25), max: cu(2) },
  gaps: Array.from({ length: 28 * 10 }, (_, index) => ({
    ref: { account: 'main', projectId: 'project-one', endpointId: 'ep-one' },
    from: instant(at(0) + (index * DAY) / 10),
    low: seconds(3600),
    high: seconds(3600),
    hiddenBelow: seconds(0),
  })),
  days: Array.from({ length: 28 }, (_, index) => ({
    ref: { account: 'main', projectId: 'project-one', endpointId: 'ep-one' },
    date: '',
    from: instant(at(0) + index * DAY),
    to: instant(at(0) + (index + 1) * DAY),
    awake: exactly(millis(6 * HOUR)),
    cuTime: { '1000000': exactly(cuMillis(6 * HOUR)) },
  })) as unknown as StepPast['days'],
  perCuHour: micros(1_000_000),
}

describe('the saving of a step until the end of its period', () => {
  test('of a delay is the time awake after each gap begins, at the size that was used', () => {
    const change = { before: { autosuspendDelay: seconds(300) }, desired: { autosuspendDelay: seconds(60) } }
    // ten gaps a day, 240 s each, ten days: 6.67 h
    expect(stepSaving(change, PAST, REST)?.likely).toBeCloseTo(6_666_667, -1)
    expect(stepSaving(change, PAST, REST)?.low).toBeCloseTo(6_666_667 / 4, -1)
  })

  test('of a size is all use above it', () => {
    const change = { before: { sizing: PAST.sizing }, desired: { sizing: { fixed: cu(0.25) } } }
    // six hours a day, 0.75 CU less, ten days
    expect(stepSaving(change, PAST, REST)).toEqual(exactly(45_000_000))
  })

  test('counts days on which it slept, which have no rows', () => {
    const change = { before: { sizing: PAST.sizing }, desired: { sizing: { fixed: cu(0.25) } } }
    const workdays = { ...PAST, days: PAST.days.filter((_, day) => day % 7 < 5) }
    expect(stepSaving(change, workdays, REST)?.likely).toBeCloseTo((45_000_000 * 5) / 7, -1)
  })

  test('is unknown without a past', () => {
    const nothing = { ...PAST, gaps: [], days: [] }
    const delay = { before: { autosuspendDelay: seconds(300) }, desired: { autosuspendDelay: seconds(60) } }
    const size = { before: { sizing: PAST.sizing }, desired: { sizing: { fixed: cu(0.25) } } }
    expect([stepSaving(delay, nothing, REST), stepSaving(size, nothing, REST)]).toEqual([
      undefined,
      undefined,
    ])
  })
})
