// Who holds a compute awake, as one reading shows it.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { Culprit, Attribution, AwakeCause } from '../../model/ledger/evidence.ts'
import type { AccumulatedUsage } from '../../model/ledger/reading-counters.ts'
import type { ClientGroup, Reading } from '../../model/observation.ts'
import { millis, type Millis } from '../../model/units.ts'

export const culpritKey = ({ cause, application, user, database }: Culprit): string =>
  [cause, application, user, database].map(encodeURIComponent).join('/')

/** The other way round. */
export function parseCulpritKey(key: string): Culprit {
  const [cause, application = '', user = '', database = ''] = key.split('/').map(decodeURIComponent)
  return { cause: cause as AwakeCause, application, user, database }
}

export const causeKey = (cause: AwakeCause): string =>
  culpritKey({ cause, application: '', user: '', database: '' })

type Share = readonly [key: string, weight: number]

/**
 * `span` divided among those that held the compute awake when `reading` was made; nothing where none is seen. The
 * service's rules are asked in their order, and the first that applies is the reason.
 *
 * @param use by others since the reading before
 */
export function attributeAt(reading: Reading, use: AccumulatedUsage['last'], span: Millis): Attribution {
  const shares = sharesOf(reading, use)
  const total = shares.reduce((sum, [, weight]) => sum + weight, 0)
  return Object.fromEntries(shares.map(([key, weight]) => [key, millis((span * weight) / total)]))
}

function sharesOf({ causes, clients }: Reading, use: AccumulatedUsage['last']): readonly Share[] {
  if ('missing' in causes || 'missing' in clients) return []
  if (causes.working > 0) return byGroup(clients, 'clients', ({ working }) => working)
  if (causes.idleInTransaction > 0)
    return byGroup(clients, 'idle-in-transaction', ({ idleInTransaction }) => idleInTransaction)
  if (causes.replication > 0) return [[causeKey('replication'), 1]]
  if (causes.subscriptions > 0) return [[causeKey('subscription'), 1]]
  if (causes.autovacuum > 0) return [[causeKey('autovacuum'), 1]]
  return lastToSpeak(clients, use)
}

const byGroup = (
  clients: readonly ClientGroup[],
  cause: AwakeCause,
  weight: (group: ClientGroup) => number,
): readonly Share[] =>
  clients.flatMap((group) =>
    weight(group) > 0 ? [[culpritKey({ ...group, cause }), weight(group)] as const] : [],
  )

/** Nobody is at work: the timer runs from the newest statement, so whoever made it holds the compute awake. */
function lastToSpeak(clients: readonly ClientGroup[], use: AccumulatedUsage['last']): readonly Share[] {
  const said = clients.filter(({ lastStatement }) => lastStatement !== undefined)
  const newest = said.toSorted((a, b) => (b.lastStatement ?? 0) - (a.lastStatement ?? 0))[0]
  if (!newest) return []
  return [[culpritKey({ ...newest, cause: isKeepAlive(use) ? 'keep-alive' : 'clients' }), 1]]
}

/** Statements take this share of the time at most where all that is said keeps a connection alive. Doubled, light use is called keep-alive. */
const HARDLY = 0.001

/** Nobody new came since the reading before and hardly any work was done, but somebody spoke: it keeps a connection alive. */
const isKeepAlive = (use: AccumulatedUsage['last']): boolean =>
  use !== undefined && use.arrivals === 0 && use.averageActive > 0 && use.averageActive < HARDLY

/** How long what a reading saw holds the compute awake at the most: nobody has to come again before that is over. */
export const longestHold = (delay: AutosuspendDelay): number =>
  delay === 'never' ? Number.POSITIVE_INFINITY : delay * 1000
