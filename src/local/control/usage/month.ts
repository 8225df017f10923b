import type { UsageWindow } from './usage.ts'

const DAY = 86_400_000

/** The month around an instant, UTC, ms. */
export function calendarMonth(at: number): UsageWindow {
  const day = Math.floor(at / DAY)
  // by the mean length of a month; never too early
  let month = Math.floor((day + DAYS_BEFORE_1970) / 30.436875) + 1
  while (firstDayOf(month) > day) month -= 1
  return { from: firstDayOf(month) * DAY, to: firstDayOf(month + 1) * DAY }
}

/** Days from 0000-03-01. */
const DAYS_BEFORE_1970 = 719_468

/**
 * First day of a month, in days since 1970; months count from March of the year 0, so that the leap day ends a year.
 * Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
 */
function firstDayOf(month: number): number {
  const year = Math.floor(month / 12)
  const inYear = Math.floor((153 * (month - 12 * year) + 2) / 5)
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400)
  return 365 * year + leapDays + inYear - DAYS_BEFORE_1970
}
