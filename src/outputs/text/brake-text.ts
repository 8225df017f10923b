// Brakes as JSON and in words.
import { brakeId, isEngaged, type BrakeName, type StoredBrake } from '../../model/policy/brakes.ts'
import { toIso } from '../../model/time.ts'
import { toSecond } from './amounts.ts'
import type { BrakeJson, BrakesJson, HoldsJson } from './hold-schema.ts'
import { freezeText, placedHoldText } from './hold-text.ts'

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

/** A brake that is not stored: its start is unknown, and `dormouse brakes release` does not release it. */
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

/** Most lines about brakes where something else is to be read, too. */
const MAX_LINES = 10

/** Brakes that other lines say more about. */
const SAID_ELSEWHERE: ReadonlySet<BrakeName> = new Set(['kill_switch', 'freeze', 'hold'])

type Engaged = BrakesJson & Pick<HoldsJson, 'freezes' | 'holds'>

/**
 * What holds changes back now, the kill switch apart: a line each, with what ends it; of many the first ones.
 *
 * @param freezes that are open
 */
export function engagedLines({ brakes, freezes, holds }: Engaged): readonly string[] {
  const stored = brakes.filter(({ brake, engaged }) => engaged && !SAID_ELSEWHERE.has(brake))
  const lines = [
    ...freezes.map(
      (freeze) =>
        freezeText(freeze) +
        (freeze.to === null ? ', as long as changes.freeze names it' : ', then it ends by itself'),
    ),
    ...holds.map((hold) => `${placedHoldText(hold)}; dormouse resume ${hold.id} ends it`),
    ...stored.map(brakeText),
  ]
  const more = lines.length - MAX_LINES
  return more <= 0
    ? lines
    : [...lines.slice(0, MAX_LINES), `${more} more hold changes back: dormouse holds, dormouse brakes`]
}
