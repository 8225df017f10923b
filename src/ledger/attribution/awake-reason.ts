import type { AutosuspendDelay } from '../../model/service/compute.ts'
import { expectedSuspension, SUSPEND_GRACE } from '../../model/inference/expected-suspension.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { ReadingState } from '../../model/ledger/reading-state.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { AwakeReason } from '../../model/output/snapshot.ts'
import { ifRead, type AwakeIndicators, type Reading } from '../../model/observation.ts'
import { MINUTE, after, latest, type Instant, type Seconds } from '../../model/units.ts'
import { lastClientActivity, observerActivities } from '../evidence/activity.ts'

/** Validity of a reading as a reason, 60 s, ms: a client may leave soon after it. */
const READING_VALID_FOR = MINUTE

/** The strongest known reason, else `unknown`. */
export function awakeReason(entry: ComputeEntry, context: AwakeReasonContext): AwakeReason {
  const { compute } = entry
  if (compute.state === 'idle')
    return compute.disabled ? { because: 'disabled' } : { because: 'asleep', since: compute.suspendedAt }
  if (compute.state === 'init') return { because: 'starting' }
  return reasonFromReading(entry, context.now) ?? reasonFromTimes(entry, context)
}

export type AwakeReasonContext = Readonly<{
  project: ProjectEntry | undefined
  delay: AutosuspendDelay
  activityLag: Seconds
  now: Instant
}>

/** By a fresh reading of the current awake interval. */
function reasonFromReading(entry: ComputeEntry, now: Instant): AwakeReason | undefined {
  const last = currentReading(entry)
  if (!last || 'missing' in last.causes || now - last.at > READING_VALID_FOR) return undefined
  return strongestCause(last.causes, mostActive(last))
}

function strongestCause(causes: AwakeIndicators, application: string | undefined): AwakeReason | undefined {
  const { working, idleInTransaction, replication, subscriptions, autovacuum } = causes
  if (working > 0) return { because: 'clients', application, working }
  if (idleInTransaction > 0) return { because: 'idle-in-transaction', count: idleInTransaction }
  if (replication > 0) return { because: 'replication', count: replication }
  if (subscriptions > 0) return { because: 'subscription', count: subscriptions }
  return autovacuum > 0 ? { because: 'autovacuum', count: autovacuum } : undefined
}

function reasonFromTimes(entry: ComputeEntry, context: AwakeReasonContext): AwakeReason {
  const { delay, activityLag, now } = context
  if (delay === 'never') return { because: 'autosuspend-off' }
  const since = lastClientActivity(entry.evidence) ?? entry.current?.from.likely
  if (since === undefined) return { because: 'unknown', since: undefined }
  const recent = activityLag * 1000 + delay * RECENT_PER_SECOND_OF_DELAY + MAX_LOOK_AGE
  if (now - since < recent)
    return { because: 'recent-activity', at: since, application: mostActive(currentReading(entry)) }
  const newest = latest(since, observerActivities(entry.evidence).at(-1) ?? since)
  const until = after(newest, delay)
  return { because: 'idle-tail', since, until, end: endOf(entry, until, context), ours: newest > since }
}

/** The service shows activity and suspensions late: only a look later than both proves a suspension overdue. */
function endOf(
  { compute, observedAt }: ComputeEntry,
  until: Instant,
  { project, activityLag, now }: AwakeReasonContext,
): (AwakeReason & { because: 'idle-tail' })['end'] {
  if (now < until) return 'ahead'
  const expected = expectedSuspension(compute, project?.project, project) ?? until
  const shownBy = after(latest(expected, after(until, SUSPEND_GRACE)), activityLag)
  return observedAt > shownBy ? 'overdue' : 'due'
}

/** Age up to which activity counts as recent, in ms per second of delay, 100: a tenth of the delay. */
const RECENT_PER_SECOND_OF_DELAY = 100
/** Largest age of a look in the fastest configuration, plus rounding to whole seconds, ms. */
const MAX_LOOK_AGE = 2000

/** Last reading of the current awake interval. */
export const currentReading = ({ reading: { last }, current }: ComputeEntry): ReadingState['last'] =>
  last && current && last.at < current.from.earliest ? undefined : last

const mostActive = (reading: Reading | undefined) => ifRead(reading?.clients)?.[0]?.application
