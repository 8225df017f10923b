// The quiet rule: whether a compute may be read now, so that looking never wakes it and hardly ever keeps it awake.
import type { AutosuspendDelay } from '../model/compute.ts'
import type { ComputeAccount } from '../model/ledger.ts'
import type { Look, ReadingRefusal } from '../model/observation.ts'
import { seconds, type Instant, type Seconds } from '../model/units.ts'

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

/** Where nothing can be prolonged. Doubled, a metric is two minutes old at worst. */
const PACE = 60
/** The same near the connection limit. Doubled, a limit reached within half a minute is seen late. */
const PACE_NEAR_LIMIT = 15
const NEAR_LIMIT = 0.7
/** How long a session's own traces may show as activity at the most, were its statistics flushed late: a rule that protects errs on this side. Source: service-facts.md, "What keeps a compute awake". */
const FLUSH = 12
/** How long a session is visible: tens of milliseconds, and room for a network. */
const VISIBLE = 0.5
/** The chance that the service's activity poll, every 500 ms, falls into a light reading. Source: service-facts.md, "What keeps a compute awake". */
const LIGHT_SEEN = 0.2

/**
 * @param account what is known of the compute from before `look`
 * @param now by our clock; times of the record are the service's
 */
export function quietVerdict(
  account: ComputeAccount,
  {
    look,
    delay,
    limits,
  }: { readonly look: Look; readonly delay: AutosuspendDelay; readonly limits: QuietLimits },
  now: Instant,
): QuietVerdict {
  if (limits.mode === 'off') return refused({ because: 'mode-off' })
  if (!isAwake(look)) return refused({ because: 'not-active' })
  if (delay === 'never') return paced(account, limits.mode, now)
  const margin = seconds(limits.activityLag + limits.deadline)
  if (delay <= margin) return refused({ because: 'delay-too-short', margin })
  const offset = account.reading.clockOffset ?? 0
  if (isAhead(look, now + offset)) return refused({ because: 'clock' })
  const idle = idleTime(look, now + offset)
  if (idle === undefined || !isForeign(account, look, offset)) return refused({ because: 'quiet' })
  return delay - idle <= margin ? refused({ because: 'tail' }) : afforded(account, { idle, limits }, now)
}

const isAwake = ({ compute: { state, pendingState, disabled } }: Look): boolean =>
  state === 'active' && pendingState === undefined && !disabled

/** How far the record may be ahead of the time we think it is: two clocks, and whole seconds. Doubled, our own traces could pass for somebody else's. */
const AGREED = 3000

/** Whether the record tells of a time to come. Then the clocks disagree, and what is recent cannot be told from what is ours. */
const isAhead = ({ compute }: Look, serviceNow: number): boolean =>
  Math.max(compute.lastActive ?? 0, compute.startedAt ?? 0, compute.updatedAt) > serviceNow + AGREED

const refused = (refusal: ReadingRefusal): QuietVerdict => ({ refusal })

function paced(account: ComputeAccount, mode: 'light' | 'full', now: Instant): QuietVerdict {
  const pace = isNearLimit(account) ? PACE_NEAR_LIMIT : PACE
  return sinceLast(account, now) < pace ? refused({ because: 'pace' }) : { read: mode, cost: seconds(0) }
}

function afforded(
  account: ComputeAccount,
  { idle, limits }: { readonly idle: number; readonly limits: QuietLimits },
  now: Instant,
): QuietVerdict {
  if (sinceLast(account, now) < limits.minInterval) return refused({ because: 'pace' })
  const kinds = limits.mode === 'full' ? (['full', 'light'] as const) : (['light'] as const)
  // Every compute has its first reading free: one is needed to know anything at all.
  if (account.reading.attempts === 0) return { read: kinds[0], cost: seconds(0) }
  for (const read of kinds) {
    const cost = expectedCost(read, account, idle)
    if (cost <= account.reading.credit) return { read, cost }
  }
  return refused({ because: 'credit' })
}

/**
 * The awake time a reading is expected to add: it moves the suspension by the time since the last activity, if the
 * service notices it and if nobody comes back before the delay is over.
 */
function expectedCost(read: 'light' | 'full', { totals, reading }: ComputeAccount, idle: number): Seconds {
  const silence = (totals.suspends + 1) / (totals.suspends + reading.activeLooks + 2)
  return seconds((read === 'full' ? 1 : LIGHT_SEEN) * silence * (idle + VISIBLE))
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
function isForeign({ reading }: ComputeAccount, { compute }: Look, offset: number): boolean {
  const { last, lastAttemptAt } = reading
  if (lastAttemptAt === undefined || compute.lastActive === undefined) return true
  if (compute.lastActive > lastAttemptAt + offset + FLUSH * 1000) return true
  return last !== undefined && !('missing' in last.causes) && last.causes.working > 0
}

function isNearLimit({ reading }: ComputeAccount): boolean {
  if (reading.atLimit) return true
  const { last } = reading
  if (!last || 'missing' in last.connections) return false
  const { active, idle, idleInTransaction, other } = last.connections
  return active + idle + idleInTransaction + other > NEAR_LIMIT * last.maxConnections
}

const sinceLast = ({ reading }: ComputeAccount, now: Instant): number =>
  reading.lastAttemptAt === undefined ? Number.POSITIVE_INFINITY : (now - reading.lastAttemptAt) / 1000
