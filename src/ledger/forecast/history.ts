// Daily amounts as forecasts read them: checked, and rescaled to what a day would cost as things are set now.

/** Spend in micros, or CU-hours: a forecast comes out in the unit that went in. */
export type ForecastAmount = number

export type DailySeries = Readonly<{
  /** Amounts by day of the budget's zone, oldest first, without today; undefined for an unknown day. */
  amounts: readonly (ForecastAmount | undefined)[]
  /** Weekday of the first day, 0 (Monday) to 6. */
  firstWeekday: number
}>

/** A change of sizing, delay or number of computes with a known effect on the amounts. */
export type KnownChange = Readonly<{
  /** Days from the start of the history; 12.5 is noon of the thirteenth. It may be in the future. */
  at: number
  /** Cost of a day after the change, as a multiple of before; 0 when everything is deleted. */
  factor: number
}>

/** As if every change up to `now` were older: earlier days are multiplied, so that weekdays and noise still count. */
export function rescaleSeries(
  history: DailySeries,
  changes: readonly KnownChange[],
  now = history.amounts.length,
): DailySeries {
  const past = changes.filter(({ at }) => at <= now)
  if (past.length === 0) return history
  const amounts = history.amounts.map((amount, day) =>
    amount === undefined
      ? undefined
      : past.reduce((product, change) => product * factorOnDay(change, day), amount),
  )
  return { ...history, amounts }
}

/** On the day of the change it applies to the part before it. */
function factorOnDay({ at, factor }: KnownChange, day: number): number {
  if (at <= day) return 1
  if (at >= day + 1) return factor
  const before = at - day
  return factor / (before + (1 - before) * factor)
}

/** @throws Error that names the place, when a day, the weekday or a change is not what its type says */
export function checkSeries({ amounts, firstWeekday }: DailySeries, changes: readonly KnownChange[]): void {
  for (const [day, amount] of amounts.entries())
    if (amount !== undefined) checkAmount(`history.amounts[${day}]`, amount)
  if (!Number.isInteger(firstWeekday) || firstWeekday < 0 || firstWeekday > 6)
    throw new Error(`history.firstWeekday: expected a whole number from 0 to 6, got ${firstWeekday}`)
  for (const [index, { at, factor }] of changes.entries()) {
    if (!Number.isFinite(at)) throw new Error(`changes[${index}].at: expected a finite number, got ${at}`)
    checkAmount(`changes[${index}].factor`, factor)
  }
}

/** @throws Error that names the place, when `value` is negative, infinite or not a number */
export function checkAmount(path: string, value: number): void {
  if (!(value >= 0 && value < Infinity))
    throw new Error(`${path}: expected a finite number of 0 or more, got ${value}`)
}
