import type { AutosuspendDelay, Compute } from '../model/compute.ts'
import type { ComputeAccount, WhyAwake } from '../model/ledger.ts'
import type { AwakeCauses } from '../model/observation.ts'
import { instant, type Instant } from '../model/units.ts'
import { lastForeignActivity } from './activity.ts'

/** How long after a reading what it saw still counts. Doubled, a client that left is named for a minute longer. */
const FRESH = 60_000

/** Why a compute is awake or not, the strongest reason first; what is not known is `unknown`, never a guess. */
export function whyAwake(account: ComputeAccount, delay: AutosuspendDelay, now: Instant): WhyAwake {
  const { compute } = account
  if (compute.state === 'idle') return asleep(compute)
  if (compute.state === 'init') return { because: 'starting' }
  return heldBy(account, now) ?? byTime(account, delay, now)
}

const asleep = (compute: Compute): WhyAwake =>
  compute.disabled ? { because: 'disabled' } : { because: 'asleep', since: compute.suspendedAt }

/** What the last reading of this incarnation saw, while it is fresh. */
function heldBy({ reading, open }: ComputeAccount, now: Instant): WhyAwake | undefined {
  const { last } = reading
  if (!last || 'missing' in last.causes || now - last.at > FRESH) return undefined
  return open && last.at < open.from.earliest ? undefined : strongest(last.causes)
}

function strongest(causes: AwakeCauses): WhyAwake | undefined {
  const { working, idleInTransaction, replication, subscriptions, autovacuum, busiestApplication } = causes
  if (working > 0) return { because: 'clients', application: busiestApplication, working }
  if (idleInTransaction > 0) return { because: 'idle-in-transaction', count: idleInTransaction }
  if (replication > 0) return { because: 'replication', count: replication }
  if (subscriptions > 0) return { because: 'subscription', count: subscriptions }
  return autovacuum > 0 ? { because: 'autovacuum', count: autovacuum } : undefined
}

function byTime(account: ComputeAccount, delay: AutosuspendDelay, now: Instant): WhyAwake {
  if (delay === 'never') return { because: 'autosuspend-off' }
  const since = lastForeignActivity(account.evidence) ?? account.open?.from.likely
  if (since === undefined) return { because: 'unknown' }
  // Within a tenth of the delay, and one look, the compute is as good as in use.
  if (now - since < delay * 100 + 1000) return { because: 'recent-activity', at: since }
  return { because: 'idle-tail', since, until: instant(since + delay * 1000) }
}
