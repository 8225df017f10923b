import type { AutosuspendDelay, Compute } from '../../model/service/compute.ts'
import { expectedSuspension, SUSPEND_GRACE } from '../../model/inference/expected-suspension.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { AwakeReason } from '../../model/output/awake-reason.ts'
import type { AwakeIndicators, Reading } from '../../model/observation.ts'
import { after, latest, type Instant, type Seconds } from '../../model/units.ts'
import { lastClientActivity, observerActivities } from '../evidence/activity.ts'

/** How long after a reading what it saw still counts. Doubled, a client that left is named for a minute longer. */
const FRESH = 60_000

/** Why a compute is awake or not, the strongest reason first; what is not known is `unknown`, never a guess. */
export function awakeReason(account: ComputeEntry, context: AwakeReasonContext): AwakeReason {
  const { compute } = account
  if (compute.state === 'idle') return asleep(compute)
  if (compute.state === 'init') return { because: 'starting' }
  return heldBy(account, context.now) ?? byTime(account, context)
}

export type AwakeReasonContext = {
  readonly project: ProjectEntry | undefined
  readonly delay: AutosuspendDelay
  /** How late the service shows activity: what it last showed may have gone on since. */
  readonly activityLag: Seconds
  readonly now: Instant
}

const asleep = (compute: Compute): AwakeReason =>
  compute.disabled ? { because: 'disabled' } : { because: 'asleep', since: compute.suspendedAt }

/** What the last reading of this incarnation saw, while it is fresh. */
function heldBy({ reading, current }: ComputeEntry, now: Instant): AwakeReason | undefined {
  const { last } = reading
  if (!last || 'missing' in last.causes || now - last.at > FRESH) return undefined
  return current && last.at < current.from.earliest ? undefined : strongest(last.causes, mostActive(last))
}

function strongest(causes: AwakeIndicators, application: string | undefined): AwakeReason | undefined {
  const { working, idleInTransaction, replication, subscriptions, autovacuum } = causes
  if (working > 0) return { because: 'clients', application, working }
  if (idleInTransaction > 0) return { because: 'idle-in-transaction', count: idleInTransaction }
  if (replication > 0) return { because: 'replication', count: replication }
  if (subscriptions > 0) return { because: 'subscription', count: subscriptions }
  return autovacuum > 0 ? { because: 'autovacuum', count: autovacuum } : undefined
}

function byTime(account: ComputeEntry, context: AwakeReasonContext): AwakeReason {
  const { delay, activityLag, now } = context
  if (delay === 'never') return { because: 'autosuspend-off' }
  const since = lastClientActivity(account.evidence) ?? account.current?.from.likely
  if (since === undefined) return { because: 'unknown', since: undefined }
  const recent = activityLag * 1000 + delay * RECENT + LOOK
  if (now - since < recent)
    return { because: 'recent-activity', at: since, application: lastApplication(account) }
  const newest = latest(since, observerActivities(account.evidence).at(-1) ?? since)
  const until = after(newest, delay)
  return { because: 'idle-tail', since, until, end: endOf(account, until, context), ours: newest > since }
}

/** Activity and suspensions are shown late: only a look that is later than both says that it should be asleep. */
function endOf(
  { compute, observedAt }: ComputeEntry,
  until: Instant,
  { project, activityLag, now }: AwakeReasonContext,
): (AwakeReason & { because: 'idle-tail' })['end'] {
  if (now < until) return 'ahead'
  const expected = expectedSuspension(compute, project?.project, project) ?? until
  const shown = after(latest(expected, after(until, SUSPEND_GRACE)), activityLag)
  return observedAt > shown ? 'overdue' : 'due'
}

/** Milliseconds per second of delay: within a tenth of its delay a compute is as good as in use. Doubled, a tail is called use for longer. */
const RECENT = 100
/** A look is this old at most in the fastest configuration, and the service writes whole seconds. */
const LOOK = 2000

/** Who was most active when this incarnation was last read. */
const lastApplication = ({ reading: { last }, current }: ComputeEntry): string | undefined =>
  !last || (current && last.at < current.from.earliest) ? undefined : mostActive(last)

const mostActive = ({ clients }: Reading): string | undefined =>
  'missing' in clients ? undefined : clients[0]?.application
