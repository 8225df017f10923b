// Keys of a bin of the gap in progress, from what the compute did before: where the bin lies against the last three gaps, and in which of
// the windows earlier the compute was active. Timers show in both, whatever their period is.
import { binOf, hiOf, loOf } from './bins.ts'

/** Positions of a bin against a gap: far before, before, in, after, far after, none. */
const POSITIONS = 6
/** Bins at most between a bin and the one a gap ended in, where it is not far from it. */
const NEAR = 2
/** Gaps that a bin is compared with. */
const COMPARED = 3

export const POSITION_KEYS = POSITIONS ** COMPARED

/** Time from each window to the bin, steps of a minute: usual periods of timers, or multiples of them. */
const WINDOWS: readonly number[] = [15, 30, 60, 120, 180]
const LONGEST_WINDOW = Math.max(...WINDOWS)

export const WINDOW_KEYS = 2 ** WINDOWS.length

/** Steps with activity, both ends included. */
type Run = Readonly<{ from: number; to: number }>

/** Steps of one clock. */
export type Past = Readonly<{
  /** At the first idle step after activity. */
  beginGap: (at: number) => void
  endGap: (length: number) => void
  gaps: () => number
  /** Bin that the last gap ended in. */
  last: () => number | undefined
  /** While a gap is in progress, below `POSITION_KEYS`. */
  positionKey: (bin: number) => number
  /** While a gap is in progress, below `WINDOW_KEYS`: a bit for each window with activity. */
  windowKey: (bin: number) => number
}>

export function createPast(): Past {
  // bins of the last gaps, the newest first
  let ended: readonly number[] = []
  let runs: readonly Run[] = []
  let gaps = 0
  let from = 0
  // first active step after the last gap
  let activeFrom: number | undefined

  const wasActive = (first: number, last: number) => runs.some((run) => run.from <= last && run.to >= first)
  return {
    beginGap(at) {
      from = at
      const run = { from: activeFrom ?? at - 1, to: at - 1 }
      runs = [...runs.filter(({ to }) => to >= at - LONGEST_WINDOW), run]
    },
    endGap(length) {
      gaps += 1
      activeFrom = from + length
      ended = [binOf(length), ...ended].slice(0, COMPARED)
    },
    gaps: () => gaps,
    last: () => ended[0],
    positionKey(bin) {
      let key = 0
      for (let back = 0; back < COMPARED; back += 1) key = key * POSITIONS + positionOf(bin, ended[back])
      return key
    },
    windowKey(bin) {
      const [first, last] = [from + loOf(bin), from + hiOf(bin)]
      let key = 0
      for (const [at, earlier] of WINDOWS.entries())
        if (wasActive(first - earlier, last - earlier)) key |= 1 << at
      return key
    },
  }
}

/** Where `bin` lies against a gap that ended in `ended`. */
function positionOf(bin: number, ended: number | undefined): number {
  if (ended === undefined) return POSITIONS - 1
  const distance = Math.max(-NEAR - 1, Math.min(NEAR + 1, bin - ended))
  return Math.sign(distance) * (Math.abs(distance) > NEAR ? 2 : 1) + 2
}
