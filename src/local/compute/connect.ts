import { Client } from 'pg'
import { SUPERUSER } from './configuration.ts'

/** Where the service itself connects: a server of this machine, as superuser. */
export type SuperuserAddress = {
  readonly port: number
  readonly password: string
  readonly database: string
  /** As a walsender the session counts neither as a session nor as active time of the database. */
  readonly unseen?: boolean
}

/** The application name of walsenders that are no activity (service-facts 9, rule 3). */
export const WALSENDER = 'walproposer'

/** Bound for a session of the service to come up, and for one statement of it, ms. */
const BOUND = 10_000

/** A session of the service. The caller ends it. Losing it later shows as failing queries, never as an event. */
export async function connectSuperuser({
  port,
  password,
  database,
  unseen = false,
}: SuperuserAddress): Promise<Client> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: SUPERUSER,
    password,
    database,
    application_name: unseen ? WALSENDER : SUPERUSER,
    ...(unseen && { replication: 'database' }),
    connectionTimeoutMillis: BOUND,
    query_timeout: BOUND,
    // what a client set for its compute must not stop the service
    options:
      '-c statement_timeout=0 -c lock_timeout=0 -c default_transaction_read_only=off -c idle_session_timeout=0',
  })
  client.on('error', () => undefined) // without a listener, a server that stops would end this process
  await client.connect()
  return client
}

/** Runs statements one by one in a session of their own. */
export async function runStatements(address: SuperuserAddress, statements: readonly string[]): Promise<void> {
  const client = await connectSuperuser(address)
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
