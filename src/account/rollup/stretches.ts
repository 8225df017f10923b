// Which state a compute was in between two looks.
import type { Compute, ComputeState } from '../../model/compute.ts'
import { LATENESS } from '../../model/transition.ts'
import { instant, latest, type Instant } from '../../model/units.ts'

/** What a look showed, and when. */
export type Shown = { readonly compute: Compute; readonly at: Instant }

export type Stretch = { readonly state: ComputeState; readonly from: Instant; readonly to: Instant }

/**
 * How far back a look may fill awake time, milliseconds: after a longer absence the awake intervals tell what there was.
 * Doubled, a fleet that was left alone for long writes twice as much at its first look.
 */
const REACH = 3_600_000

/**
 * The time between `before` and `look` by state, in order of time, whole milliseconds. What neither both looks nor the
 * instants of the record tell is left out.
 */
export function stretchesBetween(before: Shown, look: Shown): readonly Stretch[] {
  const changes = changesBetween(before, look)
  const points = [before.at, ...changes.map(({ at }) => at), look.at]
  const states = [firstState(before, look, changes[0]), ...changes.map(({ state }) => state)]
  // The last look has the last word: a record that is behind its state tells nothing.
  if (states.at(-1) !== look.compute.state) states[states.length - 1] = undefined
  return states.flatMap((state, index) => {
    const [start, to] = [points[index], points[index + 1]]
    if (state === undefined || start === undefined || to === undefined) return []
    const from = state === 'idle' ? start : latest(start, instant(look.at - REACH))
    return to > from ? [{ state, from, to }] : []
  })
}

type Change = { readonly state: 'active' | 'idle'; readonly at: Instant }

function changesBetween(before: Shown, { compute, at: until }: Shown): readonly Change[] {
  const dated = [
    { state: 'active', at: compute.startedAt },
    { state: 'idle', at: compute.suspendedAt },
  ] as const
  return dated
    .flatMap(({ state, at }) => (at !== undefined && at > before.at && at <= until ? [{ state, at }] : []))
    .toSorted((a, b) => a.at - b.at)
}

/** The state up to the first change, or up to the look where there is none. */
function firstState(before: Shown, look: Shown, change: Change | undefined): ComputeState | undefined {
  const { state } = before.compute
  const isLong = look.at - before.at > LATENESS * 1000
  if (change) {
    // Two starts without an end are a restart; two ends without a start hide a wake.
    const hides = change.state === 'idle' && state === 'idle'
    return hides || isLong ? undefined : state
  }
  const isDated = look.compute.startedAt !== undefined || look.compute.suspendedAt !== undefined
  return isDated || !isLong ? state : undefined
}
