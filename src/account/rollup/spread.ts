import type { Spread } from '../../model/rollup.ts'

/** `spread` with one sample more. */
export const withSample = <Value extends number>(
  spread: Spread<Value> | undefined,
  value: Value,
): Spread<Value> =>
  spread
    ? {
        count: spread.count + 1,
        sum: spread.sum + value,
        min: value < spread.min ? value : spread.min,
        max: value > spread.max ? value : spread.max,
      }
    : { count: 1, sum: value, min: value, max: value }
