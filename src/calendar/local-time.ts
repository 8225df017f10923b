// Local time: what a wall clock shows, without a zone.
import { DAY, MINUTE } from '../model/units.ts'

declare const unit: unique symbol
/** Milliseconds since 1970-01-01T00:00 on the same clock. */
export type LocalDateTime = number & { readonly [unit]: 'ms on the wall' }
/** Days since 1970-01-01. */
export type DayNumber = number & { readonly [unit]: 'day' }

export const localDateTime = (value: number): LocalDateTime => value as LocalDateTime
export const dayNumber = (value: number): DayNumber => value as DayNumber

/** `time`: ms after the midnight that begins `day`; may exceed 24 h. */
export const localDateTimeOf = (day: DayNumber, time = 0): LocalDateTime => localDateTime(day * DAY + time)
export const dayNumberOf = (at: LocalDateTime): DayNumber => dayNumber(Math.floor(at / DAY))
export const addDays = (day: DayNumber, count: number): DayNumber => dayNumber(day + count)

/** 0 is Sunday; 1970-01-01 was a Thursday. */
export const weekdayOf = (day: DayNumber): number => (((day + 4) % 7) + 7) % 7

/** Months since January 1970. */
export function monthOf(day: DayNumber): number {
  const date = new Date(day * DAY)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

/** @param month since January 1970 */
export const firstDayOf = (month: number): DayNumber => dayNumber(Date.UTC(1970, month) / DAY)

/** `2026-11-20`. */
export const dateText = (day: DayNumber): string => new Date(day * DAY).toISOString().slice(0, 10)

/** Undefined for anything but a date such as `2026-11-20`. */
export function parseDate(text: string): DayNumber | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const day = dayNumberOf(localDateTime(Date.parse(`${text}T00:00:00Z`)))
  return Number.isNaN(day) || dateText(day) !== text ? undefined : day
}

/** Milliseconds after midnight of `08:00`; `24:00` is the end of the day. */
export function parseTime(text: string): number | undefined {
  const [, hours, minutes] = /^(\d\d):([0-5]\d)$/.exec(text) ?? []
  if (hours === undefined || minutes === undefined) return undefined
  const time = (Number(hours) * 60 + Number(minutes)) * MINUTE
  return time <= DAY ? time : undefined
}

/** Time of a text such as `2026-11-26T00:00`; `T24:00` is the end of that day. */
export function parseLocalDateTime(text: string): LocalDateTime | undefined {
  const [date = '', time = '', ...more] = text.split('T')
  const day = parseDate(date)
  const ofDay = parseTime(time)
  return day === undefined || ofDay === undefined || more.length > 0 ? undefined : localDateTimeOf(day, ofDay)
}
