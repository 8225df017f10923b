// Watches a server for client activity and for work, by one query.
import type { Client } from 'pg'
import type { Clock } from '../clock.ts'
import { type ActivityReading, detectActivity } from '../control/usage/activity.ts'
import { SUPERUSER } from './configuration.ts'
import { WALSENDER, connectSuperuser } from './connect.ts'
import type { WorkReading } from './sizing.ts'

export type Monitor = {
  /** Reads now and reports before it resolves; a server that does not answer reports no activity. */
  poll(): Promise<void>
  stop(): void
}

export type MonitorOptions = {
  readonly port: number
  readonly password: string
  /** Time between two readings, ms. */
  readonly every: number
  readonly clock: Clock
  /** Whether the first of the five rules of activity is on. */
  readonly rule1: () => boolean
  readonly onActivity: (at: number) => void
  readonly onWork: (reading: WorkReading) => void
  readonly onProblem: (error: unknown) => void
}

/** Inputs of the five rules (service-facts 9) and of the autoscaler. Prepared, because planning takes longer than running. */
const ACTIVITY_QUERY = {
  name: 'activity',
  text: `
select
  d.active_time,
  d.sessions::float8,
  d.reads,
  b.busy::int,
  b.running::int,
  b.autovacuum::int,
  extract(epoch from b.last_change)::float8 * 1000 as last_change,
  (select count(*)::int from pg_catalog.pg_stat_replication where application_name <> '${WALSENDER}') as replications,
  (select count(*)::int from pg_catalog.pg_stat_subscription where pid is not null) as subscriptions
from
  (select sum(active_time) as active_time, sum(sessions) as sessions,
          json_object_agg(datname, blks_read) filter (where datname is not null) as reads
     from pg_catalog.pg_stat_database where datname not in ('postgres', 'template0', 'template1')) d,
  (select count(*) filter (where client and state <> 'idle') as busy,
          max(state_change) filter (where client) as last_change,
          count(*) filter (where backend_type = 'autovacuum worker') as autovacuum,
          count(*) filter (where state = 'active' and coalesce(wait_event_type, 'IO') = 'IO'
            and (client or backend_type in ('parallel worker', 'autovacuum worker'))) as running
     from (select backend_type, state, state_change, wait_event_type,
                  backend_type = 'client backend' and usename <> '${SUPERUSER}' as client
             from pg_catalog.pg_stat_activity where pid <> pg_backend_pid()) backend) b
`,
}

/** Starts a watch by a session in database `postgres`, where it does not count as activity itself. */
export async function startMonitor(options: MonitorOptions): Promise<Monitor> {
  const { port, password, clock, every, onProblem } = options
  const client = await connectSuperuser({ port, password, database: 'postgres' })
  const read = createReader(client, options)
  const stopping = new AbortController()
  const poll = async (): Promise<void> => {
    try {
      await read()
    } catch (error) {
      if (!stopping.signal.aborted) onProblem(error)
    }
  }
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await poll()
      await clock.sleep(every, stopping.signal)
    }
  }
  void loop()
  return {
    poll,
    stop: () => {
      stopping.abort()
      void client.end().catch(onProblem)
    },
  }
}

/** A function that takes one reading, compares it with the previous one and reports the activity. */
function createReader(
  client: Client,
  { clock, rule1, onActivity, onWork }: MonitorOptions,
): () => Promise<void> {
  let earlier: ActivityReading | undefined
  let lastActive: number | undefined
  return async () => {
    const { rows } = await client.query(ACTIVITY_QUERY)
    const row: Record<string, unknown> = rows[0]
    const reading: ActivityReading = {
      activeTime: numberOf(row['active_time']),
      sessions: numberOf(row['sessions']),
      busyBackends: Number(row['busy']),
      lastStateChange: numberOf(row['last_change']),
      replications: Number(row['replications']),
      subscriptions: Number(row['subscriptions']),
      autovacuumWorkers: Number(row['autovacuum']),
    }
    const at = detectActivity(reading, { earlier, lastActive, rule1: rule1() }, clock.now())
    earlier = reading
    onWork({ running: Number(row['running']), reads: parseReads(row['reads']) })
    if (at === undefined) return
    lastActive = at
    onActivity(Math.floor(at))
  }
}

const numberOf = (value: unknown): number | null => (value === null ? null : Number(value))

/** Database → blocks read; empty for null, when there is no database. */
const parseReads = (reads: unknown): ReadonlyMap<string, number> =>
  new Map(Object.entries(reads ?? {}).map(([database, read]) => [database, Number(read)]))
