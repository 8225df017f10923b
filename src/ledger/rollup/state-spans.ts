// Which state a compute was in between two looks.
import { DEFAULT_AUTOSUSPEND_DELAY, type Compute, type ComputeState } from '../../model/service/compute.ts'
import { ALLOWED_LATENESS } from '../../model/inference/transition.ts'
import { instant, latest, type Instant } from '../../model/units.ts'

/** What a look showed, and when. */
export type ObservedCompute = { readonly compute: Compute; readonly at: Instant }

export type StateSpan = { readonly state: ComputeState; readonly from: Instant; readonly to: Instant }

/**
 * How far back a look may fill awake time, milliseconds: after a longer absence the awake intervals tell what there was.
 * Doubled, a fleet that was left alone for long writes twice as much at its first look.
 */
const REACH = 3_600_000

/**
 * The time between `before` and `look` by state, in order of time, whole milliseconds. What neither both looks nor the
 * instants of the record tell is left out.
 */
export function stateSpansBetween(before: ObservedCompute, look: ObservedCompute): readonly StateSpan[] {
  const changes = changesBetween(before, look)
  const points = [before.at, ...changes.map(({ at }) => at), look.at]
  const states = [firstState(before, look, changes), ...changes.map(({ state }) => state)]
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

/** The instants of the record that moved; it writes whole seconds, so they may seem to lie just before the look before. */
function changesBetween(before: ObservedCompute, { compute, at: until }: ObservedCompute): readonly Change[] {
  const dated = [
    { state: 'active', at: compute.startedAt, known: before.compute.startedAt },
    { state: 'idle', at: compute.suspendedAt, known: before.compute.suspendedAt },
  ] as const
  return dated
    .flatMap(({ state, at, known }) =>
      at === undefined || at === known || at > until ? [] : [{ state, at }],
    )
    .toSorted((a, b) => a.at - b.at)
    .map(({ state, at }) => ({ state, at: latest(at, before.at) }))
}

/** The state up to the first change, or up to the look where there is none; undefined where more may have happened before it. */
function firstState(
  before: ObservedCompute,
  look: ObservedCompute,
  changes: readonly Change[],
): ComputeState | undefined {
  const { state } = before.compute
  const { startedAt, suspendedAt } = look.compute
  const isShort = look.at - before.at <= ALLOWED_LATENESS * 1000
  const [first] = changes
  if (!first) return startedAt !== undefined || suspendedAt !== undefined || isShort ? state : undefined
  // Two starts without an end are a restart; two ends without a start hide a wake.
  if (first.state === 'idle' && state === 'idle') return undefined
  const isKnown =
    startedAt !== undefined && suspendedAt !== undefined ? !mayHide(before, look, changes) : isShort
  return isKnown ? state : undefined
}

/** Where both instants moved, a suspension and a wake before them would have left no trace; they take the delay at least. */
function mayHide(
  before: ObservedCompute,
  { compute }: ObservedCompute,
  [first, second]: readonly Change[],
): boolean {
  const { autosuspendDelay: delay = DEFAULT_AUTOSUSPEND_DELAY } = compute
  if (!first || !second || delay === 'never') return false
  return first.at - before.at > delay * 1000
}
