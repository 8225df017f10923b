// State of a compute between two looks.
import {
  DEFAULT_AUTOSUSPEND_DELAY,
  delayMillis,
  type Compute,
  type ComputeState,
} from '../../model/service/compute.ts'
import { MAX_FOLLOWED_STEP } from '../../model/ledger/gap.ts'
import { ALLOWED_LATENESS } from '../../model/inference/transition.ts'
import { earliest, HOUR, instant, latest, SECOND, type Instant, type Interval } from '../../model/units.ts'

/** `listed`: as of a look. */
export type ObservedCompute = Readonly<{ compute: Compute; at: Instant; listed?: Interval | undefined }>

export type StateSpan = Interval &
  Readonly<{
    state: ComputeState
    /** Awake, and looks or project lists close enough showed its activity. */
    followed: boolean
  }>

/** Awake time that a look adds backwards, ms: older time is in the awake intervals, and a fleet would write much at once. */
const REACH = HOUR

/** In order; time whose state neither looks nor records show is left out. */
export function stateSpansBetween(before: ObservedCompute, look: ObservedCompute): readonly StateSpan[] {
  const changes = changesBetween(before, look)
  const points = [before.at, ...changes.map(({ at }) => at), look.at]
  const states = [firstState(before, look, changes), ...changes.map(({ state }) => state)]
  // A record whose instants are older than its state shows no state for the end.
  if (states.at(-1) !== look.compute.state) states[states.length - 1] = undefined
  return states.flatMap((state, index) => {
    const [start, to] = [points[index], points[index + 1]]
    if (state === undefined || start === undefined || to === undefined) return []
    const from = state === 'idle' ? start : latest(start, instant(look.at - REACH))
    const isClose = Math.min(look.at - before.at, to - start) <= MAX_FOLLOWED_STEP * SECOND
    const shown = state !== 'idle' && showsActivity(look.compute)
    const followed = isClose ? { from, to } : listedBefore(look)
    return [
      { state, from, to: earliest(to, latest(from, followed.from)), followed: false },
      { state, from: latest(from, followed.from), to: earliest(to, followed.to), followed: shown },
      { state, from: latest(from, followed.to), to, followed: false },
    ].filter((span) => span.to > span.from)
  })
}

/** Time before a look in which project lists showed activity; empty where none did. */
function listedBefore({ at, listed }: ObservedCompute): Interval {
  if (!listed) return { from: at, to: at }
  const isClose = at - listed.to <= MAX_FOLLOWED_STEP * SECOND
  return { from: listed.from, to: isClose ? at : listed.to }
}

/** Whether a record shows the activity of clients. With a start but without activity, it is of a compute that nobody used. */
export const showsActivity = ({ lastActive, startedAt }: Compute) =>
  lastActive !== undefined || startedAt !== undefined

type Change = Readonly<{ state: 'active' | 'idle'; at: Instant }>

/** Instants of the record are whole seconds and may lie just before the look before. */
function changesBetween(before: ObservedCompute, { compute, at: until }: ObservedCompute): readonly Change[] {
  const dated = [
    { state: 'active', at: compute.startedAt, previous: before.compute.startedAt },
    { state: 'idle', at: compute.suspendedAt, previous: before.compute.suspendedAt },
  ] as const
  return dated
    .flatMap(({ state, at, previous }) =>
      at === undefined || at === previous || at > until ? [] : [{ state, at }],
    )
    .toSorted((a, b) => a.at - b.at)
    .map(({ state, at }) => ({ state, at: latest(at, before.at) }))
}

/** Until the first change, or the look; undefined where other changes may precede it. */
function firstState(before: ObservedCompute, look: ObservedCompute, changes: readonly Change[]) {
  const { state } = before.compute
  const { startedAt, suspendedAt } = look.compute
  const isShort = look.at - before.at <= ALLOWED_LATENESS * 1000
  const [first] = changes
  if (!first) return startedAt !== undefined || suspendedAt !== undefined || isShort ? state : undefined
  // Two starts without a suspension are a restart; two suspensions without a start hide a wake.
  if (first.state === 'idle' && state === 'idle') return undefined
  const isCertain =
    startedAt !== undefined && suspendedAt !== undefined ? !mayHideWake(before, look, changes) : isShort
  return isCertain ? state : undefined
}

/** A suspension and a wake before both changes left no trace only if there was time for the delay. */
function mayHideWake(
  before: ObservedCompute,
  { compute }: ObservedCompute,
  [first, second]: readonly Change[],
) {
  const { autosuspendDelay: delay = DEFAULT_AUTOSUSPEND_DELAY } = compute
  return first !== undefined && second !== undefined && first.at - before.at > delayMillis(delay)
}
