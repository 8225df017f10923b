// Causes that keep a compute awake, from one reading.
import type { Culprit, Attribution, AwakeCause } from '../../model/ledger/evidence.ts'
import type { AccumulatedUsage } from '../../model/ledger/reading-state.ts'
import type { ClientGroup, Reading } from '../../model/observation.ts'
import { millis, type Millis } from '../../model/units.ts'

export const culpritKey = ({ cause, application, user, database }: Culprit): string =>
  [cause, application, user, database].map(encodeURIComponent).join('/')

export function parseCulpritKey(key: string): Culprit {
  const [cause, application = '', user = '', database = ''] = key.split('/').map(decodeURIComponent)
  return { cause: cause as AwakeCause, application, user, database }
}

export const causeKey = (cause: AwakeCause): string =>
  culpritKey({ cause, application: '', user: '', database: '' })

type Usage = AccumulatedUsage['last']
type Share = readonly [key: string, weight: number]

/** Divides `span` among the causes in `reading`, by the first rule of the service that applies; empty without one. */
export function attributeAt(reading: Reading, usage: Usage, span: Millis): Attribution {
  const shares = causeShares(reading, usage)
  const total = shares.reduce((sum, [, weight]) => sum + weight, 0)
  return Object.fromEntries(shares.map(([key, weight]) => [key, millis((span * weight) / total)]))
}

function causeShares({ causes, clients }: Reading, usage: Usage): readonly Share[] {
  if ('missing' in causes || 'missing' in clients) return []
  if (causes.working > 0) return byGroup(clients, 'clients', ({ working }) => working)
  if (causes.idleInTransaction > 0)
    return byGroup(clients, 'idle-in-transaction', ({ idleInTransaction }) => idleInTransaction)
  if (causes.replication > 0) return [[causeKey('replication'), 1]]
  if (causes.subscriptions > 0) return [[causeKey('subscription'), 1]]
  if (causes.autovacuum > 0) return [[causeKey('autovacuum'), 1]]
  return lastStatementShare(clients, usage)
}

const byGroup = (
  clients: readonly ClientGroup[],
  cause: AwakeCause,
  weight: (group: ClientGroup) => number,
): readonly Share[] =>
  clients.flatMap((group) =>
    weight(group) > 0 ? [[culpritKey({ ...group, cause }), weight(group)] as const] : [],
  )

/** Without work in progress the suspend timer runs from the newest statement: its client is the cause. */
function lastStatementShare(clients: readonly ClientGroup[], usage: Usage): readonly Share[] {
  const withStatement = clients.filter(({ lastStatement }) => lastStatement !== undefined)
  const newest = withStatement.toSorted((a, b) => (b.lastStatement ?? 0) - (a.lastStatement ?? 0))[0]
  return newest ? [[culpritKey({ ...newest, cause: isKeepAlive(usage) ? 'keep-alive' : 'clients' }), 1]] : []
}

/** Largest share of time in statements that still counts as keep-alive, 0.001: light use takes more. */
const KEEP_ALIVE_MAX_ACTIVE = 0.001

/** The traffic since the last reading only keeps a connection alive: no new session and hardly any work. */
const isKeepAlive = (usage: Usage) =>
  usage !== undefined &&
  usage.arrivals === 0 &&
  usage.averageActive > 0 &&
  usage.averageActive < KEEP_ALIVE_MAX_ACTIVE
