// The quiet rule: whether a compute may be read now, so that looking never wakes it and hardly ever keeps it awake.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { Look, ReadingRefusal } from '../../model/observation.ts'
import { gapBucket } from '../../model/ledger/gap-bucket.ts'
import { seconds, type Instant, type Seconds } from '../../model/units.ts'

export type QuietLimits = {
  readonly mode: 'off' | 'light' | 'full'
  /** How late `last_active` may show activity. */
  readonly activityLag: Seconds
  /** The longest a reading takes. */
  readonly deadline: Seconds
  /** Least time between two readings of a compute that could be prolonged. */
  readonly minInterval: Seconds
}

export type QuietVerdict =
  | { readonly read: 'light' | 'full'; readonly cost: Seconds }
  | { readonly refusal: ReadingRefusal }

/** Where nothing can be prolonged, or somebody is at work all the time. Doubled, a metric is two minutes old at worst. */
const PACE = 60
/** The same near the connection limit. Doubled, a limit reached within half a minute is seen late. */
const PACE_NEAR_LIMIT = 15
const NEAR_LIMIT = 0.7
/** How long a session's own traces may show as activity at the most, were its statistics flushed late: a rule that protects errs on this side. Source: service-facts.md, "What keeps a compute awake". */
const FLUSH = 12
/** The record is written in whole seconds, so activity was that much later than it shows, on average. */
const HALF_A_SECOND = 0.5
/** How long a session is visible: tens of milliseconds, and room for a network. */
const VISIBLE = 0.5
/** The chance that the service's activity poll, every 500 ms, falls into a light reading. Source: service-facts.md, "What keeps a compute awake". */
const LIGHT_SEEN = 0.2
/** What is known of a compute is to be a day old at the most: from this age on, seconds, a reading is wanted. Doubled, one that is refused for some hours is known too late. */
const WANTED_AFTER = 43_200

export type QuietInput = {
  readonly look: Look
  readonly delay: AutosuspendDelay
  readonly limits: QuietLimits
  /** Awake time that a change to be verified pays for beside the compute's own credit. */
  readonly allowance?: Seconds
}

/**
 * @param account what is known of the compute from before `look`
 * @param now by our clock; times of the record are the service's
 */
export function quietVerdict(account: ComputeEntry, input: QuietInput, now: Instant): QuietVerdict {
  const { look, delay, limits } = input
  const { mode } = limits
  if (mode === 'off') return refused({ because: 'mode-off' })
  if (!isAwake(look)) return refused({ because: 'not-active' })
  if (delay === 'never') return paced(account, mode, now)
  const wanted = isWanted(account, mode, now)
  return beforeSuspension(account, { ...input, mode, delay, wanted }, now)
}

type Prolongable = QuietInput & {
  readonly mode: 'light' | 'full'
  readonly delay: Seconds
  /** Whether what a reading tells is not known, or soon too old to be. */
  readonly wanted: boolean
}

function beforeSuspension(account: ComputeEntry, input: Prolongable, now: Instant): QuietVerdict {
  const { look, delay, limits, wanted } = input
  const margin = marginOf(limits, wanted)
  if (delay <= margin) return refused({ because: 'delay-too-short', margin })
  const offset = account.reading.clockOffset ?? 0
  if (isAhead(look, now + offset)) return refused({ because: 'clock' })
  const idle = idleTime(look, now + offset)
  const mayRead = isForeign(account, look, offset) || (wanted && isFirst(account, look, offset))
  if (idle === undefined || !mayRead) return refused({ because: 'quiet' })
  return delay - idle <= margin ? refused({ because: 'tail' }) : afforded(account, { ...input, idle }, now)
}

/**
 * How much of the delay has to be left. A reading must have ended before the compute may fall asleep; that the record lags
 * only means that more is left than it shows, so what nobody has read for long is not refused for that.
 */
const marginOf = ({ activityLag, deadline }: QuietLimits, wanted: boolean): Seconds =>
  seconds(deadline + (wanted ? Math.min(activityLag, AGREED / 1000) : activityLag))

function isWanted({ reading }: ComputeEntry, mode: 'light' | 'full', now: Instant): boolean {
  const knownAt = mode === 'full' ? reading.cacheReadAt : reading.last?.at
  return knownAt === undefined || now - knownAt > WANTED_AFTER * 1000
}

/** Whether no reading was tried since the compute woke: whoever woke it is somebody else. */
const isFirst = ({ reading }: ComputeEntry, { compute }: Look, offset: number): boolean =>
  reading.lastAttemptAt === undefined ||
  (compute.startedAt !== undefined && reading.lastAttemptAt + offset < compute.startedAt)

const isAwake = ({ compute: { state, pendingState, disabled } }: Look): boolean =>
  state === 'active' && pendingState === undefined && !disabled

/** How far the record may be ahead of the time we think it is: two clocks, and whole seconds. Doubled, our own traces could pass for somebody else's. */
const AGREED = 3000

/** Whether the record tells of a time to come. Then the clocks disagree, and what is recent cannot be told from what is ours. */
const isAhead = ({ compute }: Look, serviceNow: number): boolean =>
  Math.max(compute.lastActive ?? 0, compute.startedAt ?? 0, compute.updatedAt) > serviceNow + AGREED

const refused = (refusal: ReadingRefusal): QuietVerdict => ({ refusal })

function paced(account: ComputeEntry, mode: 'light' | 'full', now: Instant): QuietVerdict {
  const pace = isNearLimit(account) ? PACE_NEAR_LIMIT : PACE
  return sinceLast(account, now) < pace ? refused({ because: 'pace' }) : { read: mode, cost: seconds(0) }
}

/** A compute's first reading may cost this share of its delay before any is earned: one is needed to know anything at all. Doubled, a new compute is read longer after its last use. */
const FREE = 0.25
/** Or as much as an activity costs that the service has just shown: seconds beyond its lag. Doubled, a compute with a short delay is read later in its tail. */
const JUST = 2

/** Tries that are free until one told the hit ratio, all of them within one delay. Doubled, each may cost half as much. */
const TRIES = 2

const isNew = ({ reading }: ComputeEntry, wanted: boolean): boolean => wanted && reading.attempts < TRIES

type Affordable = Prolongable & { readonly idle: number }

function afforded(account: ComputeEntry, input: Affordable, now: Instant): QuietVerdict {
  const { look, delay, limits, wanted, allowance = 0 } = input
  const { reading } = account
  const least = Math.min(limits.minInterval, isAtWork(account, look) ? PACE : limits.minInterval)
  if (sinceLast(account, now) < least) return refused({ because: 'pace' })
  const kinds = kindsOf(account, input, now)
  const free = isNew(account, wanted)
    ? Math.min(delay / TRIES, Math.max(delay * FREE, limits.activityLag + JUST))
    : 0
  for (const read of kinds) {
    const cost = expectedCost(read, account, input)
    if (cost <= Math.max(free, reading.credit) + allowance) return { read, cost }
  }
  return refused({ because: 'credit' })
}

type Kinds = readonly ['light' | 'full', ...('light' | 'full')[]]

/** Credit is saved for a full reading where one is wanted and a light one would tell nothing new, and so is the first one. */
function kindsOf({ reading }: ComputeEntry, { mode, wanted }: Affordable, now: Instant): Kinds {
  if (mode === 'light') return ['light']
  const known = reading.last !== undefined && now - reading.last.at <= WANTED_AFTER * 1000
  return wanted && (known || reading.attempts < TRIES) ? ['full'] : ['full', 'light']
}

/** Whether somebody was at work at the last reading and has been active since: then looking prolongs nothing for now. */
const isAtWork = ({ reading: { last, clockOffset } }: ComputeEntry, { compute }: Look): boolean =>
  last !== undefined &&
  !('missing' in last.causes) &&
  last.causes.working > 0 &&
  (compute.lastActive ?? 0) > last.at + (clockOffset ?? 0) + FLUSH * 1000

/**
 * The awake time a reading is expected to add: it moves the suspension by the time since the last activity, if the
 * service notices it and if nobody comes back before the delay is over. Nothing is assumed of a new compute.
 */
function expectedCost(read: 'light' | 'full', account: ComputeEntry, { idle, wanted }: Affordable): Seconds {
  const silence = isNew(account, wanted) ? 1 : silenceAfter(account, idle)
  const moved = Math.max(0, idle - HALF_A_SECOND) + VISIBLE
  return seconds((read === 'full' ? 1 : LIGHT_SEEN) * silence * moved)
}

/** How likely nobody comes back after `idle` seconds: of the gaps of this compute that were as long, those that ended in sleep. */
function silenceAfter({ totals, reading: { gaps } }: ComputeEntry, idle: number): number {
  const returned = gaps.slice(gapBucket(idle, gaps.length)).reduce((sum, count) => sum + count, 0)
  return (totals.suspends + 1) / (totals.suspends + returned + 2)
}

/** Seconds since the last activity that the record shows; undefined where there was none in this awake interval. */
function idleTime({ compute }: Look, serviceNow: number): number | undefined {
  const { lastActive, startedAt, suspendedAt } = compute
  if (lastActive === undefined) return undefined
  // The start itself shows as activity. After a suspension somebody caused it; that of a new compute nobody did.
  const usedSince = startedAt === undefined || lastActive > startedAt
  const woken = suspendedAt !== undefined && lastActive === startedAt
  return usedSince || woken ? Math.max(0, (serviceNow - lastActive) / 1000) : undefined
}

/** Whether somebody else was active since our last reading, beyond what that reading itself may have left behind. */
function isForeign({ reading }: ComputeEntry, { compute }: Look, offset: number): boolean {
  const { last, lastAttemptAt } = reading
  if (lastAttemptAt === undefined || compute.lastActive === undefined) return true
  if (compute.lastActive > lastAttemptAt + offset + FLUSH * 1000) return true
  return last !== undefined && !('missing' in last.causes) && last.causes.working > 0
}

function isNearLimit({ reading }: ComputeEntry): boolean {
  if (reading.atLimit) return true
  const { last } = reading
  if (!last || 'missing' in last.connections) return false
  const { active, idle, idleInTransaction, other } = last.connections
  return active + idle + idleInTransaction + other > NEAR_LIMIT * last.maxConnections
}

const sinceLast = ({ reading }: ComputeEntry, now: Instant): number =>
  reading.lastAttemptAt === undefined ? Number.POSITIVE_INFINITY : (now - reading.lastAttemptAt) / 1000
