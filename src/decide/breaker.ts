// The breaker: after failures policies restart nothing for a time, then one change is tried, and its end decides.
//
// 1. Failed changes, or failed requests to the service, engage it for `breaker_within`.
// 2. Then it is half open: the next change of a policy is sent alone.
// 3. If that is done, the breaker is released; if it fails, the breaker is engaged again. Any other end says nothing: the next one is tried.
import { isEngaged, type Brakes, type StoredBrake } from '../model/policy/brakes.ts'
import {
  isEnded,
  isInFlight,
  isUnderJudgement,
  sentAtOf,
  type Change,
  type ChangeState,
} from '../model/policy/change.ts'
import type { Hold } from '../model/policy/hold.ts'
import { after, instant, latest, type Instant, type Ratio, type Seconds } from '../model/units.ts'

export type BreakerContext = Readonly<{
  brakes: Pick<Brakes, 'breakerFailures' | 'breakerWithin' | 'breakerErrorShare' | 'breakerErrorWithin'>
  /** Changes of the account that restart: sent within seven days, or under way. */
  restarts: readonly Change[]
  /** As stored; undefined where it never was engaged. */
  breaker: StoredBrake | undefined
  /** Share of the requests to the service within `breakerErrorWithin` that failed; undefined where they are too few to say. */
  failedRequests: Ratio | undefined
}>

export type BreakerState = Readonly<
  | { kind: 'closed' }
  | { kind: 'open'; because: string; until: Instant | undefined }
  /** The time is over: it is to become half open, and holds until that is stored. */
  | { kind: 'over' }
  /** `tried`: the change that is under way. */
  | { kind: 'half-open'; tried: Change | undefined }
  /** A change that was tried is done: it is to be released. */
  | { kind: 'proven'; by: Change }
>

export function breakerState(context: BreakerContext, now: Instant): BreakerState {
  const { breaker } = context
  const engaged = breaker && isEngaged(breaker) ? breaker : undefined
  const cause = failuresIn(context, engaged, now) ?? failedRequestsIn(context)
  if (engaged?.halfOpenAt === undefined) return stateBefore(context, { engaged, cause }, now)
  if (cause) return cause
  const since = engaged.halfOpenAt
  const tried = context.restarts.filter((change) => isTry(change) && (sentAtOf(change.state) ?? 0) >= since)
  const done = tried.find(({ state }) => state.at === 'done')
  if (done) return { kind: 'proven', by: done }
  return { kind: 'half-open', tried: tried.find((one) => isInFlight(one) || isUnderJudgement(one.state)) }
}

type Open = Extract<BreakerState, { readonly kind: 'open' }>

/** Not half open. */
function stateBefore(
  { brakes }: BreakerContext,
  { engaged, cause }: Readonly<{ engaged: StoredBrake | undefined; cause: Open | undefined }>,
  now: Instant,
): BreakerState {
  if (!engaged) return cause ?? { kind: 'closed' }
  const until = latest(after(engaged.engagedAt, brakes.breakerWithin), cause?.until ?? instant(0))
  if (until > now) return { kind: 'open', because: engaged.because, until }
  return cause ?? { kind: 'over' }
}

/** While it is half open one failure of a change that was tried is enough. */
function failuresIn(
  { brakes, restarts, breaker }: BreakerContext,
  engaged: StoredBrake | undefined,
  now: Instant,
): Open | undefined {
  const { breakerFailures, breakerWithin: within } = brakes
  const isTrying = engaged?.halfOpenAt !== undefined
  const since = latest(
    ...[engaged?.halfOpenAt, breaker?.released?.at, breaker?.endedAt, instant(0)].filter(
      (time) => time !== undefined,
    ),
  )
  const endsOf = (changes: readonly Change[]) =>
    changes.flatMap(({ state }) =>
      isEnded(state) && isFailure(state) && state.endedAt >= since ? [state.endedAt] : [],
    )
  const open = (because: string, changes: readonly Change[], count: number): Open | undefined => {
    const until = endOfMany(endsOf(changes), { count, within }, now)
    return until === undefined ? undefined : { kind: 'open', because, until }
  }
  // one that failed before it was sent was tried, too
  const tried = restarts.filter((change) => isTry(change) && (sentAtOf(change.state) ?? since) >= since)
  return (
    (isTrying ? open('the change that was tried failed', tried, 1) : undefined) ??
    open(`${breakerFailures} changes failed within ${within} s`, restarts, breakerFailures)
  )
}

function failedRequestsIn({ brakes, failedRequests }: BreakerContext): Open | undefined {
  const { breakerErrorShare: limit, breakerErrorWithin: within } = brakes
  if (failedRequests === undefined || failedRequests <= limit) return undefined
  const share = Math.round(100 * failedRequests)
  const because = `${share} % of the requests to the service within ${within} s failed`
  return { kind: 'open', because, until: undefined }
}

const FAILED_STATES: ReadonlySet<ChangeState['at']> = new Set(['failed', 'unknown', 'reverted'])

/** Whether it counts for the breaker. */
export const isFailure = ({ at }: ChangeState): boolean => FAILED_STATES.has(at)

/** A revert passes the brakes, and a person knows what is asked for. */
const isTry = ({ when, origin }: Change): boolean => when === 'policy' && origin.by !== 'revert'

/** Undefined where it lets the next change pass. */
export function breakerHold(context: BreakerContext, now: Instant): Hold | undefined {
  const state = breakerState(context, now)
  switch (state.kind) {
    case 'closed':
    case 'proven':
      return undefined
    case 'open':
      return { because: 'breaker', until: state.until }
    case 'over':
      return { because: 'breaker', until: undefined }
    case 'half-open':
      return (
        state.tried && { because: 'breaker', until: undefined, detail: `${state.tried.id} is tried alone` }
      )
  }
}

/** When fewer than `count` of the times will be within the last seconds; undefined where that is so now. */
export function endOfMany(
  times: readonly Instant[],
  { count, within }: Readonly<{ count: number; within: Seconds }>,
  now: Instant,
): Instant | undefined {
  const ends = times.map((time) => after(time, within)).filter((end) => end > now)
  return ends.length < count ? undefined : ends.toSorted((a, b) => b - a)[count - 1]
}
