import { Client } from 'pg'
import { SUPERUSER } from './configuration.ts'

export type ServerAddress = { readonly port: number; readonly password: string }

export type SuperuserAddress = ServerAddress & {
  /** Default `postgres`. */
  readonly database?: string
  /** Connects as a walsender: counts neither as a session nor as active time of the database. Default false. */
  readonly asWalsender?: boolean
}

/** Application name of walsenders that are no activity (service-facts 9, rule 3). */
export const WALSENDER = 'walproposer'

/** Time for a session to come up, and for each of its statements, ms: a server that hangs must not hang the service. */
const TIMEOUT = 10_000

/** A session of the service, ended by the caller. Its loss shows as failing queries, never as an event. */
export async function connectSuperuser(address: SuperuserAddress): Promise<Client> {
  const { port, password, database = 'postgres', asWalsender = false } = address
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: SUPERUSER,
    password,
    database,
    application_name: asWalsender ? WALSENDER : SUPERUSER,
    ...(asWalsender && { replication: 'database' }),
    connectionTimeoutMillis: TIMEOUT,
    query_timeout: TIMEOUT,
    // settings that a client made for its compute must not stop the service
    options:
      '-c statement_timeout=0 -c lock_timeout=0 -c default_transaction_read_only=off -c idle_session_timeout=0',
  })
  client.on('error', () => undefined) // without a listener, a server that stops would end this process
  await client.connect()
  return client
}

/** Runs `work` in a session of its own, which ends with it. */
export async function withSession<Value>(
  address: SuperuserAddress,
  work: (client: Client) => Promise<Value>,
): Promise<Value> {
  const client = await connectSuperuser(address)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
