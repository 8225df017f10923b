// What an implemented recommendation promised, beside other settings of its compute that took effect meanwhile.
//
// A setting saves a share of what the compute costs. What another one saves is not there to be saved again, as in the total of several
// (total.ts).
//
// 1. Others that took effect before the figures were made are in them.
// 2. A later delay takes awake time from a size, in the rest of its follow-up.
// 3. A later size takes nothing from a delay, whose time counts at the size when it took effect (replayed-setting.ts).
import { eachBound, type Bounds } from '../model/ledger/quantities.ts'
import type { Recommendation } from '../model/policy/recommendation.ts'
import { after, micros, SECOND, type Instant, type Micros } from '../model/units.ts'
import { FOLLOW_UP } from './follow-up.ts'

/** Undefined where nothing else took effect. @param others recommendations for the same compute or project */
export function promisedSaving(
  row: Recommendation,
  implementedAt: Instant,
  others: readonly Recommendation[],
): Bounds<Micros> | undefined {
  const rests = others.flatMap((other) => restBeside(other, { row, implementedAt }) ?? [])
  if (rests.length === 0) return undefined
  const rest = eachBound((bound) => rests.reduce((product, one) => product * one[bound], 1))
  const [least, most] = [Math.min(...Object.values(rest)), Math.max(...Object.values(rest))]
  const { low, likely, high } = row.saving
  return {
    low: micros(low * (low > 0 ? least : most)),
    likely: micros(likely * rest.likely),
    high: micros(high * (high > 0 ? most : least)),
  }
}

type Followed = Readonly<{ row: Recommendation; implementedAt: Instant }>

/** Share of the cost that another one leaves, in the mean of the follow-up; undefined where it took effect at another time. */
function restBeside(
  { id, life, saving, spend }: Recommendation,
  { row, implementedAt }: Followed,
): Bounds<number> | undefined {
  if (id === row.id || life.state !== 'implemented' || life.at <= row.confirmedAt) return undefined
  const isLater = life.at > implementedAt
  const share = isLater ? (after(implementedAt, FOLLOW_UP) - life.at) / (FOLLOW_UP * SECOND) : 1
  if (share <= 0 || (isLater && !row.to.sizing)) return undefined
  return eachBound((bound) => (spend[bound] > 0 ? 1 - share * Math.min(1, saving[bound] / spend[bound]) : 1))
}
