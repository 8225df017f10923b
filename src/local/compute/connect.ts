import { Client } from 'pg'
import type { Binaries } from './binaries.ts'
import { SUPERUSER } from './configuration.ts'

export type ServerAddress = Readonly<{ port: number; password: string; binaries: Pick<Binaries, 'major'> }>

export type SuperuserAddress = ServerAddress &
  Readonly<{
    database?: string
    /** A walsender counts neither as session nor as active time. Default false. */
    asWalsender?: boolean
  }>

/** Application name of walsenders that are no activity (service-facts 9, rule 3). */
export const WALSENDER = 'walproposer'

/** Limit of a connect and of a statement, ms: a server that hangs must not hang the service. */
const TIMEOUT = 10_000

/** Against a client's settings for its compute, which must not stop the service. */
const NEUTRAL_SETTINGS = [
  'statement_timeout=0',
  'lock_timeout=0',
  'idle_session_timeout=0',
  'default_transaction_read_only=off',
  'search_path=pg_catalog',
]

/** The first Postgres with `transaction_timeout`: older ones refuse a connection that names it. */
const TRANSACTION_TIMEOUT = 17

const neutralOptions = ({ major }: ServerAddress['binaries']): string =>
  [...NEUTRAL_SETTINGS, ...(major >= TRANSACTION_TIMEOUT ? ['transaction_timeout=0'] : [])]
    .map((setting) => `-c ${setting}`)
    .join(' ')

/** Ended by the caller. Its loss shows as failing queries, not as an event. */
export async function connectSuperuser(address: SuperuserAddress): Promise<Client> {
  const { port, password, binaries, database = 'postgres', asWalsender = false } = address
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
    options: neutralOptions(binaries),
  })
  client.on('error', () => undefined) // else a server that stops would end this process
  await client.connect()
  return client
}

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
