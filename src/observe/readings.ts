// Readings inside Postgres: one connection, few statements, disconnect.
import { Client } from 'pg'
import type { Compute } from '../model/compute.ts'
import type { Reading, ReadingResult } from '../model/observation.ts'
import type { Clock, Readings } from '../model/ports.ts'
import type { Seconds } from '../model/units.ts'
import { readCache } from './cache-query.ts'
import { serverQuery, serverReading, type ServerRow } from './server-query.ts'

export type ReadingsOptions = {
  readonly clock: Clock
  /** A connection string with `{host}`, `{endpoint_id}`, `{project_id}` and `{database}`; without a password. */
  readonly dsn: string | undefined
  /** Asked at every reading, so that a rotated password is seen. */
  readonly password: () => string | undefined
  /** The user database of full readings. */
  readonly database: string | undefined
  readonly serviceUsers: readonly string[]
  readonly deadline: Seconds
}

/** Where light readings go: sessions there are mostly not seen as activity. Source: service-facts.md, "What keeps a compute awake". */
const MAINTENANCE_DATABASE = 'postgres'
/** Milliseconds. Doubled, a statement on a busy compute holds a reading up for longer than is polite. */
const STATEMENT_TIMEOUT = 2000

export function createReadings(options: ReadingsOptions): Readings {
  return {
    readable: () => options.dsn !== undefined,
    read: async (compute, wanted, signal) => {
      const kind = options.database === undefined ? 'light' : wanted
      const done = new AbortController()
      const session = createSession(compute, kind, options)
      if ('problem' in session) return { kind: 'failed', because: 'error', message: session.problem }
      const { client } = session
      // A server that goes away between two statements tells so by an event; the statement in flight tells us.
      client.on('error', () => undefined)
      const read = readWith(client, kind, options).finally(() => done.abort())
      const late = options.clock
        .sleep(options.deadline, AbortSignal.any([signal, done.signal]))
        .then(() => (done.signal.aborted ? read : overdue(options.deadline)))
      const result = await Promise.race([read, late])
      if (!done.signal.aborted) client.connection.stream.destroy()
      return result
    },
  }
}

/** The address may hold a password, so nothing of it is told. */
function createSession(
  compute: Compute,
  kind: Reading['kind'],
  options: ReadingsOptions,
): { readonly client: Client } | { readonly problem: string } {
  try {
    return { client: clientFor(compute, kind, options) }
  } catch {
    return { problem: `dsn: with the host of ${compute.endpointId} filled in it is not an address` }
  }
}

const overdue = (deadline: Seconds): ReadingResult => ({
  kind: 'failed',
  because: 'timeout',
  message: `no answer within ${deadline} s`,
})

function clientFor(compute: Compute, kind: Reading['kind'], options: ReadingsOptions): Client {
  const database = kind === 'full' ? (options.database ?? MAINTENANCE_DATABASE) : MAINTENANCE_DATABASE
  return new Client({
    connectionString: connectionString(options, compute, database),
    application_name: 'dormouse',
    statement_timeout: STATEMENT_TIMEOUT,
    connectionTimeoutMillis: options.deadline * 1000,
  })
}

/** The client lets an address overrule all other settings, so the password has to be part of it. */
function connectionString(
  { dsn = '', password }: ReadingsOptions,
  compute: Compute,
  database: string,
): string {
  const filled = dsn
    .replaceAll('{host}', compute.host)
    .replaceAll('{endpoint_id}', compute.endpointId)
    .replaceAll('{project_id}', compute.projectId)
    .replaceAll('{database}', encodeURIComponent(database))
  const url = new URL(filled)
  // The client would talk in plain text; whoever wants that says so with sslmode=disable.
  if (!url.searchParams.has('sslmode')) url.searchParams.set('sslmode', 'verify-full')
  const secret = password()
  if (secret !== undefined) url.password = encodeURIComponent(secret)
  return url.href
}

async function readWith(
  client: Client,
  kind: Reading['kind'],
  { serviceUsers }: ReadingsOptions,
): Promise<ReadingResult> {
  try {
    await client.connect()
    const { rows } = await client.query<ServerRow>(serverQuery(serviceUsers))
    const row = rows[0]
    if (!row) throw new Error('the server answered no row')
    const cache = kind === 'full' ? await readCache(client) : { missing: 'a light reading' }
    await client.end()
    return { kind: 'read', reading: { kind, ...serverReading(row), cache } }
  } catch (error) {
    // A connection that failed half-way may wait for ever to be ended in good order.
    client.connection.stream.destroy()
    return failure(error)
  }
}

/** Source: service-facts.md, "Inside Postgres": refused with 53300 means that every connection is taken. */
const TOO_MANY_CONNECTIONS = '53300'
const CANCELLED = '57014'

function failure(error: unknown): ReadingResult {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = messageOf(error)
  // The limit of our own role says nothing of the compute's.
  if (code === TOO_MANY_CONNECTIONS && !message.startsWith('too many connections for role'))
    return { kind: 'at-limit' }
  const timedOut = code === CANCELLED || message.includes('timeout')
  return { kind: 'failed', because: timedOut ? 'timeout' : 'error', message }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.includes('client password must be a string')
    ? 'the server asks for a password and none is configured: set dsn_password_file or dsn_password_env'
    : message
}
