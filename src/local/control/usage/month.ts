const DAY = 86_400_000

/** The calendar month around an instant, in UTC: `[from, to)`, ms. */
export function calendarMonth(at: number): { readonly from: number; readonly to: number } {
  const { year, month } = civilOf(Math.floor(at / DAY))
  const next = month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 }
  return { from: firstDayOf(year, month) * DAY, to: firstDayOf(next.year, next.month) * DAY }
}

// In this arithmetic a year starts in March, so that the leap day is its last day; an era has 400 years.
// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
const ERA = 146_097
const TO_EPOCH = 719_468

function civilOf(day: number): { readonly year: number; readonly month: number } {
  const shifted = day + TO_EPOCH
  const era = Math.floor(shifted / ERA)
  const inEra = shifted - era * ERA
  const yearOfEra = Math.floor(
    (inEra - Math.floor(inEra / 1460) + Math.floor(inEra / 36_524) - Math.floor(inEra / 146_096)) / 365,
  )
  const inYear = inEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const fromMarch = Math.floor((5 * inYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month }
}

function firstDayOf(year: number, month: number): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const inYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5)
  const inEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + inYear
  return era * ERA + inEra - TO_EPOCH
}
