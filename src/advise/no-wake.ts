// What it costs to let nobody wait for a wake inside a window: to stay awake there although the recommended delay has passed.
import { partsInside, type Window } from '../calendar/window.ts'
import type { Gap } from '../model/ledger/gap.ts'
import type { Proposal } from '../model/policy/recommendation.ts'
import { HOUR, after, micros, seconds, type Interval, type Micros } from '../model/units.ts'
import { sumOf } from '../std/sum.ts'
import { shareWithin } from './backtest.ts'

export type NoWakeCost = Readonly<{
  window: string
  /** In 30 days. */
  micros: Micros
  wakesPerDay: number
}>

const DAYS_OF_SAVING = 30

/** Sums over the gaps of one compute, which are added in any order; lengths, likely size and price as in the grounds. */
export function createNoWakeCosts(
  { to: { delay }, grounds }: Pick<Proposal, 'to' | 'grounds'>,
  windows: ReadonlyMap<string, Window>,
) {
  const sums = [...windows].map(([name, window]) => ({ name, window, asleep: 0, wakes: 0 }))
  return {
    add(gap: Gap): void {
      const asleep = sleepIn(gap, delay, grounds)
      if (!asleep) return
      for (const sum of sums) {
        const parts = partsInside(sum.window, asleep.from, asleep.to)
        sum.asleep += asleep.share * sumOf(parts, ({ from, to }) => to - from)
        if (parts.at(-1)?.to === asleep.to) sum.wakes += asleep.share
      }
    },
    costs: (): readonly NoWakeCost[] =>
      grounds.days === 0
        ? []
        : sums.map(({ name, asleep, wakes }) => ({
            window: name,
            micros: micros(
              (asleep / HOUR) * grounds.cu.likely * grounds.perCuHour * (DAYS_OF_SAVING / grounds.days),
            ),
            wakesPerDay: wakes / grounds.days,
          })),
  }
}

/** Time of a gap after the delay, and the probability that it is longer; undefined where the gap is shorter, or outside of the grounds. */
function sleepIn(
  { from, low, high }: Gap,
  delay: Proposal['to']['delay'],
  grounds: Interval,
): (Interval & Readonly<{ share: number }>) | undefined {
  if (delay === undefined || delay === 'never' || from < grounds.from || from >= grounds.to) return undefined
  const share = shareWithin({ low, high }, { from: delay, to: Infinity })
  const mean = seconds((Math.max(low, delay) + high) / 2)
  return share > 0 ? { from: after(from, delay), to: after(from, mean), share } : undefined
}
