// What holds of every forecast, whatever the days were.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  daysUntilExhausted,
  forecastAtEnd,
  probabilityOverLimit,
  type ForecastInput,
} from '../../../src/ledger/forecast/forecast.ts'
import { check } from '../../support/property.ts'

function known(of: ForecastInput) {
  const forecast = forecastAtEnd(of)
  if (!forecast) throw new Error('nothing is known')
  return forecast
}

const amountsOf = ({ quantiles }: ReturnType<typeof known>): number[] => quantiles.map((each) => each.amount)

/** But for rounding. */
function expectSame(these: readonly number[], those: readonly number[]): void {
  expect(these).toHaveLength(those.length)
  const apart = these.map((value, at) => Math.abs(value - (those[at] ?? NaN)) / Math.max(1e-3, value))
  expect(Math.max(0, ...apart)).toBeLessThan(1e-6)
}

const amount = fc.oneof(
  { weight: 3, arbitrary: fc.double({ min: 0.01, max: 1000, noNaN: true }) },
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constant(undefined) },
)

const inputs: fc.Arbitrary<ForecastInput> = fc.record({
  history: fc.record({
    amounts: fc.array(amount, { minLength: 1, maxLength: 150 }).map((amounts) => [...amounts, 1]),
    firstWeekday: fc.integer({ min: 0, max: 6 }),
  }),
  spent: fc.double({ min: 0, max: 5000, noNaN: true }),
  today: fc.double({ min: 0, max: 0.99, noNaN: true }),
  daysLeft: fc.double({ min: 0, max: 40, noNaN: true }),
  most: fc.oneof(fc.constant(Infinity), fc.double({ min: 0, max: 5000, noNaN: true })),
})

test('quantiles ascend between what is spent and the most that can be', () => {
  check(
    fc.property(inputs, (given) => {
      const { quantiles, p10, p50, p90, coverage } = known(given)
      const amounts = quantiles.map((each) => each.amount)
      expect(amounts).toEqual(amounts.toSorted((a, b) => a - b))
      expect(amounts[0]).toBeGreaterThanOrEqual(given.spent)
      expect(amounts.at(-1)).toBeLessThanOrEqual(given.spent + (given.most ?? Infinity))
      expect([p10, p50, p90]).toEqual([amounts[2], amounts[4], amounts[6]])
      const inside = coverage?.inside ?? 0
      expect(inside >= 0 && inside <= 1).toBe(true)
    }),
  )
})

test('in other units it is the same forecast', () => {
  check(
    fc.property(inputs, fc.double({ min: 0.001, max: 1e6, noNaN: true }), (given, scale) => {
      const scaled = known({
        ...given,
        history: { ...given.history, amounts: given.history.amounts.map((each) => each && each * scale) },
        spent: given.spent * scale,
        most: (given.most ?? Infinity) * scale,
      })
      const plain = known(given)
      const back = scaled.quantiles.map((each) => each.amount / scale)
      expectSame(back, amountsOf(plain))
    }),
  )
})

test('days without spend, before or after, never break it', () => {
  check(
    fc.property(inputs, fc.nat(80), fc.boolean(), (given, count, before) => {
      const silent = Array.from({ length: count }, () => 0)
      const { amounts } = given.history
      const more = before ? [...silent, ...amounts] : [...amounts, ...silent]
      const { quantiles } = known({ ...given, history: { ...given.history, amounts: more } })
      for (const each of quantiles) expect(Number.isFinite(each.amount)).toBe(true)
    }),
  )
})

test('the odds of a limit fall as it rises, and say what the quantiles say', () => {
  check(
    fc.property(inputs, fc.array(fc.double({ min: 0, max: 20_000, noNaN: true })), (given, limits) => {
      const forecast = known(given)
      const odds = limits.toSorted((a, b) => a - b).map((limit) => probabilityOverLimit(forecast, limit))
      expect(odds).toEqual(odds.toSorted((a, b) => b - a))
      const most = given.spent + (given.most ?? Infinity)
      // on a bound, where several quantiles fall, the odds are those of the bound
      const inside = forecast.quantiles.filter(
        (each) => each.amount > given.spent + 1e-6 && each.amount < most,
      )
      expectSame(
        inside.map((each) => 1 - probabilityOverLimit(forecast, each.amount)),
        inside.map(({ share }) => share),
      )
    }),
  )
})

test('a limit is exhausted within the period exactly when the median reaches it', () => {
  check(
    fc.property(inputs, fc.double({ min: 0.1, max: 3, noNaN: true }), (given, share) => {
      const forecast = known(given)
      const limit = share * forecast.p50
      fc.pre(Math.abs(share - 1) > 1e-6)
      const day = daysUntilExhausted(forecast, limit)
      expect(day !== undefined).toBe(limit <= given.spent || limit < forecast.p50)
      expect(day ?? 0).toBeGreaterThanOrEqual(0)
      expect(day ?? 0).toBeLessThanOrEqual(given.daysLeft + 1e-9)
    }),
  )
})

test('a step that was announced is as good as a series that had the new level all along', () => {
  check(
    fc.property(inputs, fc.nat(150), fc.double({ min: 0.1, max: 10, noNaN: true }), (given, day, factor) => {
      const { amounts } = given.history
      const at = Math.min(day, amounts.length)
      const stepped = amounts.map((each, index) => each && (index < at ? each / factor : each))
      const announced = known({
        ...given,
        history: { ...given.history, amounts: stepped },
        changes: [{ at, factor }],
      })
      expectSame(amountsOf(announced), amountsOf(known(given)))
    }),
  )
})
