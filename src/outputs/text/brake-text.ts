// Brakes as JSON and in words.
import { brakeId, isEngaged, type BrakeName, type StoredBrake } from '../../model/policy/brakes.ts'
import { toIso } from '../../model/time.ts'
import { toSecond } from './amounts.ts'
import type { BrakeJson, BrakesJson } from './hold-schema.ts'

export const storedBrakeJson = (brake: StoredBrake, account: string): BrakeJson => {
  const { name, subject, because, engagedAt, released } = brake
  return {
    id: brakeId(brake),
    account,
    brake: name,
    subject: subject === '' ? null : subject,
    engaged: isEngaged(brake),
    because,
    engaged_at: toIso(engagedAt),
    released: released ? { at: toIso(released.at), by: released.by, reason: released.reason } : null,
  }
}

/** Of a brake that is not stored: nobody knows since when, and `dormouse brakes release` does not release it. */
export const computedBrakeJson = (brake: BrakeName, account: string | null, because: string): BrakeJson => ({
  id: brake,
  account,
  brake,
  subject: null,
  engaged: true,
  because,
  engaged_at: null,
  released: null,
})

/** `fleet of main is engaged since …: policies want …; dormouse brakes release fleet --reason "…"`. */
export function brakeText({ id, account, because, engaged_at: since, released }: BrakeJson): string {
  const name = account === null ? id : `${id} of ${account}`
  if (released)
    return `${name} was released by ${released.by} at ${toSecond(released.at)}, ${released.reason}: ${because}`
  if (since === null) return `${name} is engaged: ${because}`
  return `${name} is engaged since ${toSecond(since)}: ${because}; dormouse brakes release ${id} --reason "…"`
}

/** A line each; one where there are none. */
export const brakesLines = ({ brakes }: BrakesJson): readonly string[] =>
  brakes.length === 0 ? ['no brake is engaged'] : brakes.map(brakeText)
