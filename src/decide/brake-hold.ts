// Brakes: limits of the restarts that policies make by themselves.
import type { Brakes } from '../model/policy/brakes.ts'
import {
  isEnded,
  isInFlight,
  sentAtOf,
  type Change,
  type EndedChange,
  type Hold,
} from '../model/policy/change.ts'
import type { Sizing } from '../model/service/compute.ts'
import { after, latest, seconds, type Instant, type Seconds } from '../model/units.ts'

const HOUR = seconds(3600)
/** How long a restart is remembered. */
export const RESTART_MEMORY = seconds(7 * 86_400)

export type BrakeContext = Readonly<{
  brakes: Brakes
  /** Changes of the account that restart: sent within seven days, or under way. */
  restarts: readonly Change[]
  /** When the daemon began to look at the account. */
  startedAt: Instant
  /** Whether a complete list of the computes was seen since then. */
  isSwept: boolean
  /** When the compute was created. */
  createdAt: Instant
}>

/** Undefined where no brake holds the change. */
export function brakeHold(change: Change, given: BrakeContext, now: Instant): Hold | undefined {
  // a revert makes good what a brake would only keep
  if (change.when !== 'policy' || change.kind === 'delay' || change.origin.by === 'revert') return undefined
  // at the socket the change itself is under way
  const context = { ...given, restarts: given.restarts.filter(({ id }) => id !== change.id) }
  return (
    holdOff(context, now) ??
    breakerHold(context, now) ??
    computePace(change, context, now) ??
    fleetPace(context, now)
  )
}

export function holdOff(
  { brakes, startedAt, isSwept, createdAt }: Omit<BrakeContext, 'restarts'>,
  now: Instant,
): Hold | undefined {
  const until = latest(after(startedAt, brakes.holdOff), after(createdAt, brakes.minAge))
  if (until > now) return { because: 'hold-off', until }
  return isSwept ? undefined : { because: 'hold-off', until: undefined }
}

const BREAKER_ENDS: ReadonlySet<EndedChange['at']> = new Set(['failed', 'unknown', 'reverted'])

export function breakerHold(
  { brakes, restarts }: Pick<BrakeContext, 'brakes' | 'restarts'>,
  now: Instant,
): Hold | undefined {
  const { breakerFailures: count, breakerWithin: within } = brakes
  const failures = restarts.flatMap(({ state }) =>
    isEnded(state) && BREAKER_ENDS.has(state.at) ? [state.endedAt] : [],
  )
  const until = endOfMany(failures, { count, within }, now)
  return until === undefined ? undefined : { because: 'breaker', until }
}

function computePace(change: Change, { brakes, restarts }: BrakeContext, now: Instant): Hold | undefined {
  const ofCompute = restarts.filter(({ ref }) => ref.endpointId === change.ref.endpointId)
  const times = ofCompute.flatMap(({ state }) => sentAtOf(state) ?? [])
  const opposite = ofCompute.filter((other) => directionOf(other) * directionOf(change) < 0)
  const ends = [
    endOfMany(times, { count: 1, within: brakes.computePause }, now),
    endOfMany(times, { count: brakes.computePerWeek, within: RESTART_MEMORY }, now),
    endOfMany(
      opposite.flatMap(({ state }) => sentAtOf(state) ?? []),
      { count: 1, within: brakes.oppositePause },
      now,
    ),
  ].flatMap((end) => end ?? [])
  return ends.length === 0 ? undefined : { because: 'compute-pace', until: latest(...ends) }
}

function fleetPace({ brakes, restarts }: BrakeContext, now: Instant): Hold | undefined {
  const inFlight = restarts.filter(isInFlight)
  if (inFlight.length >= brakes.fleetInFlight) return { because: 'fleet-pace', until: undefined }
  const times = restarts.flatMap(({ state }) => sentAtOf(state) ?? [])
  const until = endOfMany(times, { count: brakes.fleetPerHour, within: HOUR }, now)
  return until === undefined ? undefined : { because: 'fleet-pace', until }
}

/** When fewer than `count` of the times will be within the last seconds; undefined where that is so now. */
function endOfMany(
  times: readonly Instant[],
  { count, within }: Readonly<{ count: number; within: Seconds }>,
  now: Instant,
): Instant | undefined {
  const ends = times.map((time) => after(time, within)).filter((end) => end > now)
  return ends.length < count ? undefined : ends.toSorted((a, b) => b - a)[count - 1]
}

/** Above 0 where it makes the compute larger. */
function directionOf({ before, desired }: Change): number {
  const [from, to] = [before.sizing, desired.sizing].map((sizing) => sizing && limitsOf(sizing))
  return from && to ? to.max - from.max || to.min - from.min : 0
}

const limitsOf = (sizing: Sizing) =>
  'fixed' in sizing ? { min: sizing.fixed, max: sizing.fixed } : { min: sizing.min, max: sizing.max }
