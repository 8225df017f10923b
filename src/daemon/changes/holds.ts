// What open changes wait for, and when each is looked at again.
import { isInFlight, type Change, type OpenChange } from '../../model/policy/change.ts'
import type { Hold, HoldReason } from '../../model/policy/hold.ts'
import { expectedSuspension } from '../../model/inference/expected-suspension.ts'
import { computeKey, isComputeRef, type Compute, type Project } from '../../model/service/compute.ts'
import { after, earliest, latest, seconds, type Instant, type Seconds } from '../../model/units.ts'
import type { PassState } from '../pass/pass-state.ts'

/** Seconds between two looks at the compute of a waiting change. Source: changing.md, §2. */
export const LOOK_INTERVAL = seconds(10)
/** Seconds between two looks after a request: operations of a change take seconds. */
const VERIFY_INTERVAL = seconds(2)

/** Reasons that a look showed. */
const BY_LOOK: ReadonlySet<HoldReason> = new Set([
  'project-busy',
  'delay-pace',
  'foreign-change',
  'replica-first',
  'branch-pace',
  'awake',
  'not-quiet',
  'load',
  'asleep',
  'next-start',
  'client-expected',
  'settle',
  'unverified',
])

/** Holds by the id of the change; each began when its reason did. */
export function createHolds() {
  const holds = new Map<string, NonNullable<OpenChange['hold']>>()
  const set = (id: string, hold: Hold, now: Instant) => {
    const before = holds.get(id)
    const since = before?.because === hold.because ? before.since : now
    holds.set(id, { ...hold, since })
  }
  return {
    set,
    /** No look could be made now: what an earlier one showed is still the reason, else that there was none. */
    unseen: (id: string, now: Instant): undefined => {
      const before = holds.get(id)
      if (!before || !BY_LOOK.has(before.because)) set(id, { because: 'unseen', until: undefined }, now)
    },
    clear: (id: string) => void holds.delete(id),
    of: (id: string) => holds.get(id),
  }
}

/** Seconds between two turns, at least: a time that has come makes no busy loop. */
const MIN_INTERVAL = seconds(1)

/**
 * Seconds between two decisions about a change that policies, people or brakes hold until a known time: nothing but a command or a reload,
 * which wake the loop, ends such a hold earlier. A deadline that comes first is noticed as late.
 */
const TIMED_INTERVAL = seconds(60)

const TIMED: ReadonlySet<HoldReason> = new Set([
  'freeze',
  'hold',
  'denied-window',
  'outside-window',
  'hold-off',
  'breaker',
  'compute-pace',
  'fleet-pace',
])

/** Looks tell nothing of holds that only time ends. */
export function nextLookAfter({ because, until }: Hold, now: Instant): Instant {
  const next =
    until === undefined
      ? after(now, lookInterval(because))
      : because === 'retry' || because === 'delay-pace'
        ? until
        : earliest(until, after(now, TIMED.has(because) ? TIMED_INTERVAL : lookInterval(because)))
  return latest(next, after(now, MIN_INTERVAL))
}

const lookInterval = (because: HoldReason) => (because === 'unverified' ? VERIFY_INTERVAL : LOOK_INTERVAL)

/** Seconds before the expected suspension from which it is near: looks are as far apart. */
const NEAR = LOOK_INTERVAL

/**
 * Whether a compute is about to be suspended, and slept less than a pass takes the last time: then only single looks see it asleep.
 *
 * @param interval between two passes
 */
export function isSuspensionNear(
  { compute, project }: Readonly<{ compute: Compute; project: Project | undefined }>,
  interval: Seconds,
  now: Instant,
): boolean {
  const { state, startedAt, suspendedAt } = compute
  if (state !== 'active' || startedAt === undefined || suspendedAt === undefined) return false
  const slept = startedAt - suspendedAt
  if (slept < 0 || slept >= interval * 1000) return false
  const expected = expectedSuspension(compute, project, undefined)
  return expected !== undefined && after(now, NEAR) >= expected && now <= after(expected, interval)
}

/** The state that the last pass saw, where the change waits for its end: then a look would tell nothing new. */
export function waitsForState({ kind, when, state }: Change, compute: Compute | undefined) {
  if (state.at !== 'scheduled') return undefined
  if (kind === 'sizing' && when !== 'now' && compute?.state === 'active') return 'awake'
  return kind === 'delay' && when === 'policy' && compute?.state === 'idle' ? 'asleep' : undefined
}

/** Projects that each pass looks at: a request may be on its way, or a suspension is waited for. */
export function changingProjects(open: readonly OpenChange[], { ledger }: PassState): ReadonlySet<string> {
  // a change of defaults waits for no state of a compute
  const isAwake = ({ ref }: Change) =>
    isComputeRef(ref) && ledger.computes.get(computeKey(ref))?.compute.state !== 'idle'
  const changing = open.filter(
    ({ change }) => isInFlight(change) || (change.state.at === 'scheduled' && isAwake(change)),
  )
  return new Set(changing.map(({ change }) => change.ref.projectId))
}
