// When a policy allows a change that nobody asked for: its mode and its windows. Level-triggered, so that a missed look loses no window.
import { knownEnds, type Window } from '../calendar/window.ts'
import { restartsCompute, takesBack, type Change } from '../model/policy/change.ts'
import type { Hold } from '../model/policy/hold.ts'
import {
  SERVICE_WINDOW,
  type AwakeRungs,
  type ChangePolicy,
  type RestartRules,
} from '../model/policy/change-policy.ts'
import { after, earliest, instant, latest, type Instant, type Seconds } from '../model/units.ts'

export type PolicyTerms = Readonly<{
  policy: ChangePolicy
  /** By name. */
  windows: ReadonlyMap<string, Window>
  /** Windows of the project of the change, as the service said; undefined where it did not. */
  ofProject: ProjectWindows | undefined
  /** How long such a change takes, the 99th percentile. */
  duration: Seconds
  /** Whether a person forces the change now: then only a denied window holds it. */
  isForced: boolean
}>

export type ProjectWindows = Readonly<{
  /** In which the service updates the project; undefined where it cannot be read: then it is closed, and whoever denies it is denied. */
  service: Window | undefined
  /** Before an announced update: that restarts the compute anyway, and a restart before it takes the update along. */
  beforeUpdate: Window | undefined
}>

/** Undefined where the policy allows the change now. */
export function policyHold(change: Change, terms: PolicyTerms, now: Instant): Hold | undefined {
  if (change.when !== 'policy') return undefined
  const denial = denialHold(change, terms, now)
  if (denial || terms.isForced) return denial
  if (!stillDecides(change, terms.policy)) return { because: 'policy', until: undefined }
  return restartsCompute(change.kind) ? windowHold(terms.policy.restart, terms, now) : undefined
}

/** A window of the policy in which nothing is restarted. */
function denialHold(
  { kind }: Change,
  { policy: { restart }, ...times }: PolicyTerms,
  now: Instant,
): Hold | undefined {
  if (!restartsCompute(kind)) return undefined
  const isInDoubt = restart.deny.includes(SERVICE_WINDOW) && times.ofProject?.service === undefined
  if (isInDoubt) return { because: 'denied-window', until: undefined, detail: SERVICE_WINDOW }
  const denying = restart.deny.map((name) => [name, windowNamed(name, times)] as const)
  return closedHold('denied-window', denying, { now, over: after(now, times.duration) })
}

/**
 * Whether the policy as it is now would let it be made, or proposed. What a person approved needs no lever, nor does what takes a change back:
 * that is made whether or not the policy still has the lever.
 */
function stillDecides(change: Change, { mode, levers }: ChangePolicy): boolean {
  const { kind, state } = change
  const isApproved = 'approvedBy' in state && state.approvedBy !== undefined
  const isProposed = state.at === 'proposed' && mode === 'approve'
  const hasLever = takesBack(change) || levers.some((lever) => lever === kind)
  return isApproved || ((isProposed || mode === 'apply') && hasLever)
}

type Times = Pick<PolicyTerms, 'windows' | 'ofProject' | 'duration'>

function windowHold(rules: RestartRules, times: Times, now: Instant): Hold | undefined {
  if (rules.when.includes('idle') || rules.when.includes('natural')) return undefined
  const allowing = allowingWindows(rules, times)
  const lastEnd = after(after(now, times.duration), rules.closeEarly)
  if (allowing.some((window) => (window.at(now)?.to ?? 0) >= lastEnd)) return undefined
  const openings = allowing.flatMap((window) => window.next(now)?.from ?? [])
  return { because: 'outside-window', until: openings.length === 0 ? undefined : earliest(...openings) }
}

/** When windows of the policy end what they allow at `now`; undefined where none does. */
export function allowedUntil(change: Change, terms: PolicyTerms, now: Instant): Instant | undefined {
  if (change.when !== 'policy' || !restartsCompute(change.kind)) return undefined
  const { restart } = terms.policy
  const denials = restart.deny.flatMap((name) => windowNamed(name, terms)?.next(now)?.from ?? [])
  const isLimited = !terms.isForced && !restart.when.includes('idle') && !restart.when.includes('natural')
  const ends = [
    ...denials.map((at) => at - 1000 * terms.duration),
    ...(isLimited ? [lastSafeIn(restart, terms, now)] : []),
  ]
  return ends.length === 0 ? undefined : instant(Math.min(...ends))
}

/** Last instant at which a change may begin in the windows that are open now; 0 without any. */
const lastSafeIn = (restart: RestartRules, times: Times, now: Instant): Instant => {
  const ends = allowingWindows(restart, times).flatMap((window) => window.at(now)?.to ?? [])
  return instant(Math.max(0, ...ends) - 1000 * (times.duration + restart.closeEarly))
}

const allowingWindows = ({ windows }: RestartRules, times: Times): readonly Window[] => [
  ...windows.flatMap((name) => windowNamed(name, times) ?? []),
  ...(times.ofProject?.beforeUpdate ? [times.ofProject.beforeUpdate] : []),
]

const windowNamed = (name: string, { windows, ofProject }: Times): Window | undefined =>
  name === SERVICE_WINDOW ? ofProject?.service : windows.get(name)

/**
 * Rungs that the policy allows now while a compute is awake: inside a window that stays open for long enough. Undefined where it allows none.
 *
 * @param freezes windows in which nothing is changed
 */
export function awakeRungs(
  {
    policy: { restart },
    freezes,
    ...times
  }: Omit<PolicyTerms, 'isForced'> & Readonly<{ freezes: NamedWindows }>,
  now: Instant,
): AwakeRungs | undefined {
  const [quiet, lowestLoad] = (['quiet', 'window'] as const).map((moment) => restart.when.includes(moment))
  if (!quiet && !lowestLoad) return undefined
  const closing = [
    ...restart.deny.map((name) => windowNamed(name, times)),
    ...[...freezes].map(([, one]) => one),
  ]
  const lastSafe = lastOutside(
    closing.filter((window) => window !== undefined),
    {
      from: now,
      last: lastSafeIn(restart, times, now),
      duration: times.duration,
    },
  )
  return lastSafe < now ? undefined : { quiet: quiet === true, lowestLoad: lowestLoad === true, lastSafe }
}

type Search = Readonly<{ from: Instant; last: Instant; duration: Seconds }>

/** Last instant up to `last` at which a change that begins is over before any of the windows opens; before `from` where there is none. */
function lastOutside(windows: readonly Window[], { from, last, duration }: Search): Instant {
  let at = last
  while (at >= from) {
    const over = after(at, duration)
    const opened = windows.flatMap((window) => {
      const next = window.at(at) ?? window.next(at)
      return next && next.from < over ? [next.from] : []
    })
    if (opened.length === 0) return at
    at = instant(earliest(...opened) - 1000 * duration)
  }
  return at
}

/** Names of windows and the windows, those that there are. */
export type NamedWindows = Iterable<readonly [name: string, window: Window | undefined]>

/**
 * Hold by windows that are open now, or open before a change that begins now is over; until the last of them closes. One that goes on beyond
 * what is searched has no known end.
 */
export function closedHold(
  because: 'freeze' | 'denied-window',
  named: NamedWindows,
  times: Readonly<{ now: Instant; over: Instant }>,
): Hold | undefined {
  const closed = [...named].flatMap(([name, window]) => {
    const during = window && closedDuring(window, times)
    return during ? [{ name, until: knownEnds(window, during).to }] : []
  })
  if (closed.length === 0) return undefined
  const ends = closed.flatMap(({ until }) => until ?? [])
  return {
    because,
    until: ends.length < closed.length ? undefined : latest(...ends),
    detail: closed.map(({ name }) => name).join(', '),
  }
}

function closedDuring(window: Window, { now, over }: Readonly<{ now: Instant; over: Instant }>) {
  const open = window.at(now)
  if (open) return open
  const next = window.next(now)
  return next && next.from < over ? next : undefined
}
