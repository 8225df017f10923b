// Watches a server for client activity and work by one query.
import { type ActivityReading, detectActivity } from '../control/usage/activity.ts'
import { SUPERUSER } from './configuration.ts'
import { WALSENDER, connectSuperuser } from './connect.ts'
import type { ComputesOptions } from './orders.ts'
import type { WorkReading } from './sizing.ts'

export type Monitor = {
  /** Reads now and reports first; a server that does not answer has no activity. */
  poll(): Promise<void>
  /** Client sessions inside a statement or transaction, now; of the last look when the server does not answer in time. */
  countWorking(): Promise<number>
  /** Number of working clients at the last look. */
  lastWorking(): number
  stop(): void
}

export type MonitorListener = Readonly<{
  onActivity: (at: number) => void
  onWork: (reading: WorkReading) => void
  onProblem: (error: unknown) => void
}>

/** Inputs of the five rules (service-facts 9) and of the autoscaler. Prepared: planning takes longer than running. */
const ACTIVITY_QUERY = {
  name: 'activity',
  text: `
select
  d.active_time as "activeTime",
  d.sessions::float8,
  d.reads,
  b.busy::int as "busyBackends",
  b.running::int,
  b.autovacuum::int as "autovacuumWorkers",
  extract(epoch from b.last_change)::float8 * 1000 as "lastStateChange",
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

const WORKING_QUERY = {
  name: 'working',
  text: `
select count(*)::int as working
  from pg_catalog.pg_stat_activity
 where backend_type = 'client backend' and usename <> '${SUPERUSER}'
   and (state in ('active', 'fastpath function call') or state like 'idle in transaction%')
`,
}

/** Time for one count, ms: a server that hangs must not delay its stop. */
export const WORKING_TIMEOUT = 1000

/** `reads`: database → blocks read, null without databases. */
type ActivityRow = ActivityReading &
  Pick<WorkReading, 'running'> & { readonly reads: Readonly<Record<string, number>> | null }

/** The session is in database `postgres`, where it is no activity itself. */
export async function startMonitor(
  port: number,
  { onActivity, onWork, onProblem }: MonitorListener,
  { cluster, activityPoll, settings }: ComputesOptions,
): Promise<Monitor> {
  const { clock } = cluster
  const client = await connectSuperuser({ ...cluster, port })
  const stopping = new AbortController()
  let earlier: ActivityReading | undefined
  let lastActive: number | undefined
  const read = async () => {
    const [row] = (await client.query<ActivityRow>(ACTIVITY_QUERY)).rows
    if (!row) return
    const rule1 = settings().activityRule1
    const at = detectActivity(row, { earlier, lastActive, rule1 }, clock.now())
    earlier = row
    onWork({ running: row.running, reads: new Map(Object.entries(row.reads ?? {})) })
    if (at === undefined) return
    lastActive = at
    onActivity(Math.floor(at))
  }
  const poll = async () => {
    try {
      await read()
    } catch (error) {
      if (!stopping.signal.aborted) onProblem(error)
    }
  }
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await poll()
      await clock.sleep(activityPoll, stopping.signal)
    }
  }
  void loop()
  const lastWorking = () => earlier?.busyBackends ?? 0
  const countWorking = async () => {
    const { rows } = await client.query<{ readonly working: number }>(WORKING_QUERY)
    return rows[0]?.working
  }
  return {
    poll,
    lastWorking,
    countWorking: async () => {
      const count = countWorking().catch(() => undefined)
      return (await Promise.race([count, clock.sleep(WORKING_TIMEOUT)])) ?? lastWorking()
    },
    stop: () => {
      stopping.abort()
      void client.end().catch(onProblem)
    },
  }
}
