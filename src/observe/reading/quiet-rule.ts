// The quiet rule: whether a compute may be read now, so that a reading never wakes it and hardly ever keeps it awake.
//
// All of these must hold; the first that fails is the refusal:
// 1. `mode-off`: the configuration allows readings;
// 2. `not-active`: the look shows the compute active, no transition pending, not disabled;
// 3. `delay-too-short`: the autosuspend delay is longer than the margin;
// 4. `clock`: the record shows nothing later than now;
// 5. `quiet`: a client was active since the last reading;
// 6. `tail`: the reading ends before the compute may be suspended, with the margin to spare;
// 7. `pace`: the last reading was long enough ago;
// 8. `credit`: the observer allowance pays for the awake time that the reading may add.
//
// A compute that is never suspended cannot be kept awake: only 1, 2 and 7 apply.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { Look, ReadingRefusal } from '../../model/observation.ts'
import { gapBucket } from '../../model/ledger/statistics.ts'
import { seconds, type Instant, type Seconds } from '../../model/units.ts'

export type QuietLimits = Readonly<{
  mode: 'off' | 'light' | 'full'
  /** How late `last_active` may show activity. */
  activityLag: Seconds
  /** Longest time a reading takes. */
  deadline: Seconds
  /** Least time between two readings that could delay a suspension. */
  minInterval: Seconds
}>

export type QuietVerdict =
  | { readonly read: 'light' | 'full'; readonly cost: Seconds }
  | { readonly refusal: ReadingRefusal }

/** Least time between two readings that delay no suspension, seconds: metrics are as old as an interval. */
const PACE = 60
/** Pace near the connection limit, which may be reached within seconds. */
const PACE_NEAR_LIMIT = 15
/** Share of the connections from which on a compute is near its limit. */
const NEAR_LIMIT = 0.7
/** Longest time, seconds, after which statistics of our own session may still show as activity. Source: service-facts.md, "What keeps a compute awake". */
const MAX_FLUSH_DELAY = 12
/** Seconds by which activity was later than its record, on average: records are in whole seconds. */
const HALF_A_SECOND = 0.5
/** Seconds for which a session is visible: tens of milliseconds, and room for a network. */
const SESSION_LENGTH = 0.5
/** Probability that the service's activity poll, every 500 ms, falls into a light reading. Source: service-facts.md, "What keeps a compute awake". */
const LIGHT_NOTICED = 0.2
/** Age of the last reading, seconds, from which a new one is wanted: half a day, so that data stays younger than a day even if readings are refused for hours. */
const WANTED_AFTER = 43_200

export type QuietInput = Readonly<{
  look: Look
  delay: AutosuspendDelay
  limits: QuietLimits
  /** Statistics of the compute: number of its gaps between client activities by `gapBucket`. */
  gapCounts: readonly number[]
  /** Awake time that the change to be verified pays for, beside the compute's observer allowance. */
  allowance?: Seconds
}>

/**
 * @param entry the ledger entry of before `look`
 * @param now by our clock; times of the record are the service's
 */
export function quietVerdict(entry: ComputeEntry, input: QuietInput, now: Instant): QuietVerdict {
  const { look, delay, limits } = input
  const { mode } = limits
  if (mode === 'off') return refused({ because: 'mode-off' })
  if (!isAwake(look)) return refused({ because: 'not-active' })
  if (delay === 'never') return paced(entry, mode, now)
  return verdictBeforeSuspension(
    entry,
    { ...input, mode, delay, isWanted: isReadingWanted(entry, mode, now) },
    now,
  )
}

type SuspendableInput = QuietInput & {
  readonly mode: 'light' | 'full'
  readonly delay: Seconds
  /** Whether there is no reading yet, or it is soon too old. */
  readonly isWanted: boolean
}

function verdictBeforeSuspension(entry: ComputeEntry, input: SuspendableInput, now: Instant): QuietVerdict {
  const { look, delay, limits, isWanted } = input
  const margin = marginOf(limits, isWanted)
  if (delay <= margin) return refused({ because: 'delay-too-short', margin })
  const offset = entry.reading.clockOffset ?? 0
  if (isInFuture(look, now + offset)) return refused({ because: 'clock' })
  const idle = idleTime(look, now + offset)
  const wasWokenByClient = isWanted && isFirstSinceWake(entry, look, offset)
  const wasUsed = hasClientActivity(entry, look, offset) || wasWokenByClient
  if (idle === undefined || !wasUsed) return refused({ because: 'quiet' })
  return delay - idle <= margin
    ? refused({ because: 'tail' })
    : affordableVerdict(entry, { ...input, idle }, now)
}

/**
 * Time that must remain before the expected suspension: the reading must end before it. The activity lag can only make the real suspension
 * later than expected, so a wanted reading needs less of it.
 */
const marginOf = ({ activityLag, deadline }: QuietLimits, isWanted: boolean): Seconds =>
  seconds(deadline + (isWanted ? Math.min(activityLag, CLOCK_TOLERANCE / 1000) : activityLag))

function isReadingWanted({ reading }: ComputeEntry, mode: 'light' | 'full', now: Instant): boolean {
  const readAt = mode === 'full' ? reading.cacheReadAt : reading.last?.at
  return readAt === undefined || now - readAt > WANTED_AFTER * 1000
}

/** Whether no reading was tried since the compute woke: then a client woke it. */
const isFirstSinceWake = ({ reading }: ComputeEntry, { compute }: Look, offset: number): boolean =>
  reading.lastAttemptAt === undefined ||
  (compute.startedAt !== undefined && reading.lastAttemptAt + offset < compute.startedAt)

const isAwake = ({ compute: { state, pendingState, disabled } }: Look): boolean =>
  state === 'active' && pendingState === undefined && !disabled

/** Largest lead of the record over our time, ms: two clocks, and whole seconds. With more, our own activity could pass for a client's. */
const CLOCK_TOLERANCE = 3000

/** Whether the record shows a time in the future: the clocks disagree, and recent activity may be our own. */
const isInFuture = ({ compute }: Look, serviceNow: number): boolean =>
  Math.max(compute.lastActive ?? 0, compute.startedAt ?? 0, compute.updatedAt) > serviceNow + CLOCK_TOLERANCE

const refused = (refusal: ReadingRefusal): QuietVerdict => ({ refusal })

/** Verdict for a compute that is never suspended. */
function paced(entry: ComputeEntry, mode: 'light' | 'full', now: Instant): QuietVerdict {
  const pace = isNearLimit(entry) ? PACE_NEAR_LIMIT : PACE
  return sinceLast(entry, now) < pace ? refused({ because: 'pace' }) : { read: mode, cost: seconds(0) }
}

/** Share of the delay that a first reading may cost before any allowance is earned: without one nothing is known of a compute. */
const FREE_SHARE = 0.25
/** At least free: a reading that follows activity which the service has just shown, seconds beyond the activity lag. */
const FREE_AFTER_ACTIVITY = 2

/** Attempts that are free until a reading succeeds; together they cost at most one delay. */
const FREE_ATTEMPTS = 2

const isFree = ({ reading }: ComputeEntry, isWanted: boolean): boolean =>
  isWanted && reading.attempts < FREE_ATTEMPTS

type AffordableInput = SuspendableInput & { readonly idle: number }

function affordableVerdict(entry: ComputeEntry, input: AffordableInput, now: Instant): QuietVerdict {
  const { look, delay, limits, isWanted, allowance = 0 } = input
  const { reading } = entry
  const minInterval = isBusy(entry, look) ? Math.min(limits.minInterval, PACE) : limits.minInterval
  if (sinceLast(entry, now) < minInterval) return refused({ because: 'pace' })
  const kinds = kindsOf(entry, input, now)
  const free = isFree(entry, isWanted)
    ? Math.min(delay / FREE_ATTEMPTS, Math.max(delay * FREE_SHARE, limits.activityLag + FREE_AFTER_ACTIVITY))
    : 0
  for (const read of kinds) {
    const cost = expectedCost(read, entry, input)
    if (cost <= Math.max(free, reading.allowance) + allowance) return { read, cost }
  }
  return refused({ because: 'credit' })
}

type Kinds = readonly ['light' | 'full', ...('light' | 'full')[]]

/** Kinds to try, in order. The allowance is saved for a wanted full reading where a light one would add nothing. */
function kindsOf({ reading }: ComputeEntry, { mode, isWanted }: AffordableInput, now: Instant): Kinds {
  if (mode === 'light') return ['light']
  const isRecent = reading.last !== undefined && now - reading.last.at <= WANTED_AFTER * 1000
  return isWanted && (isRecent || reading.attempts < FREE_ATTEMPTS) ? ['full'] : ['full', 'light']
}

/** Whether a client worked at the last reading and has been active since: then a reading delays no suspension for now. */
const isBusy = ({ reading: { last, clockOffset } }: ComputeEntry, { compute }: Look): boolean =>
  last !== undefined &&
  !('missing' in last.causes) &&
  last.causes.working > 0 &&
  (compute.lastActive ?? 0) > last.at + (clockOffset ?? 0) + MAX_FLUSH_DELAY * 1000

/**
 * Awake time that a reading is expected to add: it delays the suspension by the time since the last activity, if the service notices it and
 * no client comes back before the delay is over. Without gaps to learn from, no client is assumed to come back.
 */
function expectedCost(
  read: 'light' | 'full',
  entry: ComputeEntry,
  { idle, isWanted, gapCounts }: AffordableInput,
): Seconds {
  const suspends = isFree(entry, isWanted) ? 1 : suspensionProbability(entry, gapCounts, idle)
  const delayedBy = Math.max(0, idle - HALF_A_SECOND) + SESSION_LENGTH
  return seconds((read === 'full' ? 1 : LIGHT_NOTICED) * suspends * delayedBy)
}

/** Probability that no client comes back after `idle` seconds: share of the gaps of this compute, at least as long, that ended in a suspension. */
function suspensionProbability({ totals }: ComputeEntry, gapCounts: readonly number[], idle: number): number {
  const returned = gapCounts.slice(gapBucket(idle, gapCounts.length)).reduce((sum, count) => sum + count, 0)
  return (totals.suspends + 1) / (totals.suspends + returned + 2)
}

/** Seconds since the last activity by the record; undefined without activity in this awake interval. */
function idleTime({ compute }: Look, serviceNow: number): number | undefined {
  const { lastActive, startedAt, suspendedAt } = compute
  if (lastActive === undefined) return undefined
  // The start itself shows as activity. After a suspension a client caused it; the first start of a compute nobody did.
  const isUsedSince = startedAt === undefined || lastActive > startedAt
  const isWoken = suspendedAt !== undefined && lastActive === startedAt
  return isUsedSince || isWoken ? Math.max(0, (serviceNow - lastActive) / 1000) : undefined
}

/** Whether a client was active since our last reading, beyond the activity that the reading itself may show as. */
function hasClientActivity({ reading }: ComputeEntry, { compute }: Look, offset: number): boolean {
  const { last, lastAttemptAt, lastSucceeded } = reading
  if (lastAttemptAt === undefined || compute.lastActive === undefined) return true
  if (compute.lastActive > lastAttemptAt + offset + MAX_FLUSH_DELAY * 1000) return true
  // what an earlier reading saw says nothing of the time since an attempt in vain, whose session may be the activity that is shown
  return lastSucceeded && last !== undefined && !('missing' in last.causes) && last.causes.working > 0
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
