// Client sessions of simulated computes. A query opens a session unless its client has one open. A session ends when its client leaves
// or when the server stops, and by itself is no activity: only its queries are. An interrupted client is back with its next query.
import type { ClientSessions } from '../records.ts'

/** The session of a query; lengths from its beginning, ms. */
export type QuerySession = Readonly<{
  /** Client of the compute, with one session; default: the waking program's name. */
  client?: string
  /** At the pooled host; default false. */
  pooled?: boolean
  /** Length of the statement or transaction, which is activity until its end; default 0. */
  works?: number
  /** When the client leaves unless it asks again; default 10 s. */
  stays?: number
}>

export type SimulatedQuery = Required<QuerySession>

/** ms. Source: node-postgres, default of `idleTimeoutMillis` of its pool. */
const DEFAULT_STAY = 10_000

export const queryOf = (session: QuerySession = {}, program = ''): SimulatedQuery => ({
  client: program,
  pooled: false,
  works: 0,
  stays: DEFAULT_STAY,
  ...session,
})

type Session = Readonly<{ pooled: boolean; worksUntil: number; staysUntil: number }>

export function createClientSessions() {
  // compute → client → session, also of clients that have left since the server started
  const computes = new Map<string, Map<string, Session>>()
  // compute → client → query that waits for the server
  const waiting = new Map<string, Map<string, SimulatedQuery>>()
  const begin = (endpointId: string, query: SimulatedQuery, now: number) => {
    const sessions = computes.get(endpointId) ?? new Map<string, Session>()
    const open = sessions.get(query.client)
    const worksUntil = Math.max(open?.worksUntil ?? now, now + query.works)
    const staysUntil = Math.max(open?.staysUntil ?? now, worksUntil, now + query.stays)
    computes.set(endpointId, sessions.set(query.client, { pooled: query.pooled, worksUntil, staysUntil }))
  }
  return {
    begin,
    wait: (endpointId: string, query: SimulatedQuery) => {
      const queries = waiting.get(endpointId) ?? new Map<string, SimulatedQuery>()
      waiting.set(endpointId, queries.set(query.client, query))
    },
    /** Begins the queries that wait, and returns them. */
    admit: (endpointId: string, now: number) => {
      const queries = [...(waiting.get(endpointId)?.values() ?? [])]
      waiting.delete(endpointId)
      for (const query of queries) begin(endpointId, query, now)
      return queries
    },
    refuse: (endpointId: string) => void waiting.delete(endpointId),
    /** Whether a statement of the client ends now; an interrupted one does not. */
    endsWork: (endpointId: string, client: string, now: number) =>
      computes.get(endpointId)?.get(client)?.worksUntil === now,
    /** The server has stopped. */
    end: (endpointId: string) => void computes.delete(endpointId),
    count: (endpointId: string, now: number): ClientSessions => {
      const open = [...(computes.get(endpointId)?.values() ?? [])].filter(
        ({ staysUntil }) => staysUntil > now,
      )
      return {
        open: open.length,
        openPooled: open.filter(({ pooled }) => pooled).length,
        working: open.filter(({ worksUntil }) => worksUntil > now).length,
      }
    },
  }
}
