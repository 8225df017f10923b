// Rules of restarts as the judge reads them: written anew, apart from those of the product.
import { DEFAULT_BRAKES } from '../../../../src/model/policy/brakes.ts'
import type { Change } from '../../../../src/model/policy/change.ts'
import { createLocalHours } from './local-hours.ts'
import type { WrittenRequest } from '../network.ts'
import type { RestartMoment, Rules } from '../world.ts'

/** A look decides for 2 s, and a request is under way for some milliseconds: what happened so shortly before it nobody can know, ms. */
export const UNSEEN = 3000
const DAY = 86_400_000
/** Headers tell the service's time in whole seconds, so that a daemon knows it as exactly, ms. */
const TIME_KNOWN = 1000

/** Moments that allow it at any time, while the compute is suspended. */
const ASLEEP: ReadonlySet<RestartMoment> = new Set(['idle', 'natural'])
/** Moments that allow it inside a window while the compute is awake. */
const AWAKE: ReadonlySet<RestartMoment> = new Set(['quiet', 'window'])

export const mayRestartAwake = (rules: Rules | undefined): boolean =>
  rules?.when.some((moment) => AWAKE.has(moment)) ?? false

/** A request that took effect at an instant, ms. @param sent undefined: somebody else's */
export type Landed = Readonly<{
  endpointId: string
  at: number
  sent: Readonly<{ request: WrittenRequest; change: Change }> | undefined
}>

/**
 * Whether a change of a policy that restarts may not be made then.
 *
 * @param rules undefined: no policy names the project
 * @param isAwake whether the compute, or a client of it, is awake
 */
export type WindowRule = (rules: Rules | undefined, at: number, isAwake: boolean) => boolean

export function createWindowRule(zone: string): WindowRule {
  const isInside = createLocalHours(zone)
  return (rules, at, isAwake) => {
    if (!rules) return true
    const soon = at + TIME_KNOWN
    const isOpen = rules.windows.some((window) => isInside(window, at) || isInside(window, soon))
    const isAllowed = isOpen || (!isAwake && rules.when.some((moment) => ASLEEP.has(moment)))
    return !isAllowed || rules.deny.some((window) => isInside(window, at) && isInside(window, soon))
  }
}

type BrakeContext = Readonly<{
  landed: readonly Landed[]
  /** When the process began that wrote the request. */
  daemonSince: number
  /** When the compute was made. */
  createdAt: number
}>

/** The brake that should have held the change of a policy; undefined where none. */
export function brakeAgainst(
  { endpointId, writtenAt: at }: WrittenRequest,
  change: Change,
  { landed, daemonSince, createdAt }: BrakeContext,
): string | undefined {
  const { holdOff, minAge, computePause, computePerWeek } = DEFAULT_BRAKES
  if (at - daemonSince < 1000 * holdOff - UNSEEN) return 'hold-off'
  if (at - createdAt < 1000 * minAge - UNSEEN) return 'compute too young'
  // what a budget puts back has the start of its period
  if (change.origin.by === 'budget' && change.origin.of !== undefined) return undefined
  const earlier = landed.filter((one) => one.endpointId === endpointId && isOtherRestart(one, change))
  if (earlier.some((one) => at - one.at < 1000 * computePause - UNSEEN)) return 'compute pause'
  return earlier.filter((one) => at - one.at < 7 * DAY).length >= computePerWeek ? 'per week' : undefined
}

const isOtherRestart = ({ sent }: Landed, { id }: Change): boolean =>
  sent !== undefined && sent.change.kind !== 'delay' && sent.change.id !== id

/** A value that a field was set to. */
export type SetValue = Readonly<{ at: number; value: unknown; isOurs: boolean }>

/** Field → its values, oldest first. */
export type SetValues = ReadonlyMap<string, readonly SetValue[]>

/** @param approvedAt when a person approved the change, as it was to be made then; 0: nobody did */
type Asked = Readonly<{ change: Change; approvedAt: number }>

/**
 * Whether the request undoes what somebody else set: within a day, or after a person asked for it or approved it. A value that stood when the
 * person asked is known, also where others came and went since: nobody can see that who looks afterwards. A value that a change of ours has
 * replaced is judged at that change.
 */
export const overwrites = (
  { fields, writtenAt }: WrittenRequest,
  { change: { origin, createdAt }, approvedAt }: Asked,
  values: SetValues,
): boolean =>
  Object.keys(fields).some((field) => {
    const set = values.get(field) ?? []
    const theirs = set.at(-1)
    if (!theirs || theirs.isOurs) return false
    const isUnasked = origin.by === 'policy' || origin.by === 'budget'
    const asked = Math.max(createdAt, approvedAt)
    const isKnown =
      !isUnasked && (theirs.at < asked || set.findLast(({ at }) => at < asked)?.value === theirs.value)
    const ago = writtenAt - theirs.at
    return !isKnown && ago > UNSEEN && ago < DAY
  })
