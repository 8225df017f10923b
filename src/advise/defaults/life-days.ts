// Days on which lives ended: how much is known of the computes of a project that existed for hours.
import type { Withheld } from '../../model/policy/recommendation.ts'
import { DAY, earliest, instant, latest, SECOND, type Instant, type Interval } from '../../model/units.ts'
import { withhold } from '../propose.ts'
import type { DefaultsInput } from './input.ts'
import { judgedSince, settledUntil, type ShortLife } from './lives.ts'

/** Lives are counted by their ends: as many ended since the first end as began. @param lives not empty */
export const countedInterval = (
  lives: readonly ShortLife[],
  input: Pick<DefaultsInput, 'now'>,
): Interval => ({
  from: latest(judgedSince(input), earliest(...lives.map((life) => life.to))),
  to: settledUntil(input),
})

/** Days on which lives ended, and no more than passed since the first. */
export function daysOfLives(lives: readonly ShortLife[], { now }: Pick<DefaultsInput, 'now'>): number {
  const days = new Set(lives.map(({ to }) => Math.floor((now - to) / DAY))).size
  return Math.min(days, (now - Math.min(now, ...lives.map(({ to }) => to))) / DAY)
}

/** Fewer days than a recommendation of one compute needs. */
export function missingDays(
  lives: readonly ShortLife[],
  { needs, now }: Pick<DefaultsInput, 'needs' | 'now'>,
): Withheld | undefined {
  const needed = (needs.minHistory * SECOND) / DAY
  const have = daysOfLives(lives, { now })
  return have < needed ? missingEvidence('history-short', { have, needs: needed, now }) : undefined
}

/** @param days what is there, and what is needed */
export const missingEvidence = (
  because: Withheld['because'],
  { have, needs, now }: Readonly<{ have: number; needs: number; now: Instant }>,
): Withheld =>
  withhold('defaults', because, { have, needs, until: instant(now + Math.max(0, needs - have) * DAY) })
