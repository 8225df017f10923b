// A compute after 10 days of gaps, evaluated at `at(0)`, under a policy that allows every delay of the plan.
import type { AdviseInput } from '../../../src/advise/input.ts'
import type { Gap } from '../../../src/model/ledger/gap.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { cu, seconds } from '../../../src/model/units.ts'
import { adviseEntry, adviseInput, adviseRef } from '../../support/advise-input.ts'
import { at } from '../../support/build.ts'

const DAY = 86_400
const DAYS = 10

export const delayInput = (over: Partial<AdviseInput> = {}, record: Partial<Compute> = {}): AdviseInput =>
  adviseInput({
    entry: adviseEntry({}, { sizing: { fixed: cu(1) }, autosuspendDelay: seconds(300), ...record }),
    policy: { ...adviseInput().policy, ceiling: 'never' },
    settings: [],
    now: at(0),
    ...over,
  })

/** Spend in 30 days of a compute that is always awake, at 1 CU and 0.106 an hour, micros. */
export const ALWAYS_ON = 30 * 24 * 106_000

/** Length by the number of the gap, seconds. */
type LengthOf = (index: number) => number

/** Each hour but a minute. */
export const HOURLY: LengthOf = () => 3540

/** Gaps of `DAYS` days up to `at(0)`, each followed by a minute of activity. */
export function gapsOf(lengthOf: LengthOf, over: Partial<Gap> = {}): readonly Gap[] {
  const gaps: Gap[] = []
  let from = -DAYS * DAY
  for (let index = 0; from + lengthOf(index) <= -60; index += 1) {
    const length = seconds(lengthOf(index))
    gaps.push({ ref: adviseRef, from: at(from), low: length, high: length, hiddenBelow: seconds(0), ...over })
    from += length + 60
  }
  return gaps
}

/** Days up to `at(0)`: each begins with the gaps of these lengths, and a gap lasts from the last one until the next day. */
export function gapsOfDays(days: readonly (readonly number[])[]): readonly Gap[] {
  return days.flatMap((lengths, day) => {
    let from = (day - days.length) * DAY
    const rest = DAY - lengths.reduce((sum, length) => sum + length + 60, 60)
    return [...lengths, rest].map((length) => {
      const gap = { ref: adviseRef, from: at(from), low: seconds(length), high: seconds(length) }
      from += length + 60
      return { ...gap, hiddenBelow: seconds(0) }
    })
  })
}
