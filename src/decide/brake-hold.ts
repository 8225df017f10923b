// Brakes: limits of what policies change by themselves, most of restarts.
import { brakeId, type Brakes, type StoredBrake, type StoredBrakeName } from '../model/policy/brakes.ts'
import { isInFlight, restartsCompute, sentAtOf, type Change } from '../model/policy/change.ts'
import type { Hold } from '../model/policy/hold.ts'
import { isStepOrigin } from '../model/policy/step-origin.ts'
import type { Sizing } from '../model/service/compute.ts'
import { after, latest, seconds, type Instant } from '../model/units.ts'
import { breakerHold, endOfMany, type BreakerContext } from './breaker.ts'

const HOUR = seconds(3600)
/** How long a restart is remembered. */
export const RESTART_MEMORY = seconds(7 * 86_400)

export type BrakeContext = Omit<BreakerContext, 'brakes'> &
  Readonly<{
    brakes: Brakes
    /** Stored brakes of the account that are engaged. */
    engaged: readonly StoredBrake[]
    /** When the daemon began to look at the account. */
    startedAt: Instant
    /** Whether a complete list of the computes was seen since then. */
    isSwept: boolean
    /** When the compute was created. */
    createdAt: Instant
    /** Changes of computes with a hard budget that is nearly spent, which wait for the pace of the fleet: smaller sizes go before all others. */
    goFirst: readonly Change[]
  }>

/** Undefined where no brake holds the change. */
export function brakeHold(change: Change, given: BrakeContext, now: Instant): Hold | undefined {
  // a revert makes good what a brake would only keep
  if (change.when !== 'policy' || change.origin.by === 'revert') return undefined
  const stored = storedBrakeHold(change, given)
  if (stored || !restartsCompute(change.kind)) return stored
  // at the socket the change itself is under way
  const context = { ...given, restarts: given.restarts.filter(({ id }) => id !== change.id) }
  return (
    holdOff(context, now) ??
    breakerHold(context, now) ??
    (isPutBack(change) ? undefined : computePace(change, context, now)) ??
    fleetPace(change, context, now)
  )
}

/** Brakes of restarts: they let a change of a delay or of defaults pass. */
const OF_RESTARTS: ReadonlySet<StoredBrakeName> = new Set(['fleet', 'breaker'])

/** By an engaged brake of the account, of the kind of change, or of the compute; the breaker, which has states of its own, apart. */
function storedBrakeHold(change: Change, { engaged }: BrakeContext): Hold | undefined {
  const { kind, ref } = change
  const subjects = ['', kind, ref.endpointId ?? kind]
  const passing: ReadonlySet<StoredBrakeName> = new Set([
    'breaker',
    ...(restartsCompute(kind) ? [] : OF_RESTARTS),
    // the pace of the fleet is enough
    ...(isPutBack(change) ? (['fleet'] as const) : []),
    // a step rests on no advice
    ...(isStepOrigin(change.origin) ? (['demoted'] as const) : []),
  ])
  const brake = engaged.find(({ name, subject }) => !passing.has(name) && subjects.includes(subject))
  return brake && { because: 'brake', until: undefined, detail: `${brakeId(brake)}, ${brake.because}` }
}

/** What a budget puts back has the start of a period, and each compute only once: it is not counted among what policies want. */
export const isPutBack = ({ origin }: Change) => origin.by === 'budget' && origin.of !== undefined

type HoldOffContext = Pick<BrakeContext, 'brakes' | 'startedAt' | 'isSwept' | 'createdAt'>

export function holdOff(
  { brakes, startedAt, isSwept, createdAt }: HoldOffContext,
  now: Instant,
): Hold | undefined {
  const until = latest(after(startedAt, brakes.holdOff), after(createdAt, brakes.minAge))
  if (until > now) return { because: 'hold-off', until }
  return isSwept ? undefined : { because: 'hold-off', until: undefined }
}

function computePace(change: Change, { brakes, restarts }: BrakeContext, now: Instant): Hold | undefined {
  const ofCompute = restarts.filter(({ ref }) => ref.endpointId === change.ref.endpointId)
  const times = ofCompute.flatMap(({ state }) => sentAtOf(state) ?? [])
  const direction = directionOf(change)
  const paused = ofCompute.filter(
    (other) => directionOf(other) * direction < 0 || (directionOf(other) < 0 && direction < 0),
  )
  const ends = [
    endOfMany(times, { count: 1, within: brakes.computePause }, now),
    endOfMany(times, { count: brakes.computePerWeek, within: RESTART_MEMORY }, now),
    endOfMany(
      paused.flatMap(({ state }) => sentAtOf(state) ?? []),
      { count: 1, within: brakes.oppositePause },
      now,
    ),
  ].flatMap((end) => end ?? [])
  return ends.length === 0 ? undefined : { because: 'compute-pace', until: latest(...ends) }
}

function fleetPace(
  change: Change,
  { brakes, restarts, goFirst }: BrakeContext,
  now: Instant,
): Hold | undefined {
  const inFlight = restarts.filter(isInFlight)
  if (inFlight.length >= brakes.fleetInFlight) return { because: 'fleet-pace', until: undefined }
  const times = restarts.flatMap(({ state }) => sentAtOf(state) ?? [])
  const until = endOfMany(times, { count: brakes.fleetPerHour, within: HOUR }, now)
  if (until !== undefined) return { because: 'fleet-pace', until }
  const first = goFirst.filter((one) => directionOf(one) < 0)
  if (first.length === 0 || first.some(({ id }) => id === change.id)) return undefined
  return {
    because: 'fleet-pace',
    until: undefined,
    detail: `smaller sizes of a budget that is nearly spent go first: ${first.length}`,
  }
}

/** Above 0 where it makes the compute larger. */
function directionOf({ before, desired }: Change): number {
  const [from, to] = [before.sizing, desired.sizing].map((sizing) => sizing && limitsOf(sizing))
  return from && to ? to.max - from.max || to.min - from.min : 0
}

const limitsOf = (sizing: Sizing) =>
  'fixed' in sizing ? { min: sizing.fixed, max: sizing.fixed } : { min: sizing.min, max: sizing.max }
