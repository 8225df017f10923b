// Readings inside Postgres: connect, a few statements, disconnect.
import type { Client } from 'pg'
import type { Compute } from '../../model/service/compute.ts'
import type { NotRead, Reading, ReadingResult } from '../../model/observation.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Readings } from '../../model/ports/readings.ts'
import { DAY, seconds, type Seconds } from '../../model/units.ts'
import { createDeadline } from '../../std/deadline.ts'
import {
  createConnectionAddresses,
  MAINTENANCE_DATABASE,
  type AddressOptions,
  type ConnectionAddresses,
} from './address.ts'
import { FIND_EXTENSION, cacheNotRead, readCache, type ExtensionRow } from './cache-query.ts'
import { clientsQuery, visibleClients, type ClientsReading } from './clients-query.ts'
import { messageText, queryParts, type PartQuery } from './batched-query.ts'
import {
  decodeIndicators,
  LIMITS_QUERY,
  USAGE_QUERY,
  WORKERS_QUERY,
  type ServerRows,
} from './server-query.ts'
import { createSessionClient, type SessionLimits } from './session.ts'

export type ReadingsOptions = AddressOptions & {
  readonly authentication: SessionLimits['authentication']
  readonly clock: Clock
  /** The user database of full readings, where the template names none. */
  readonly database: string | undefined
  readonly serviceUsers: readonly string[]
  readonly deadline: Seconds
}

/** Longest wait for a connection to a host that answered before: a host that vanished holds up few others. */
const RECONNECT_TIMEOUT = seconds(2)

export function createReadings(options: ReadingsOptions): Readings {
  const { clock, deadline } = options
  const addresses = createConnectionAddresses(options)
  // endpoint id → compute as it was when it answered last
  const answered = new Map<string, Compute>()
  return {
    refusalOf: addresses.refusalOf,
    prepare: async (compute, signal) => {
      using limit = createDeadline((ended) => clock.sleep(deadline, ended), signal)
      const prepared = await addresses.prepare(compute, limit.signal)
      if (prepared.ok) return undefined
      return limit.isOver() ? { ...overdue(deadline), unconnected: true } : notConnected(prepared.error)
    },
    evict: (isKnown) => {
      addresses.evict(isKnown)
      for (const compute of answered.values()) if (!isKnown(compute)) answered.delete(compute.endpointId)
    },
    read: async (compute, wanted, signal) => {
      const { kind, database } = targetOf(wanted, options.database)
      const done = new AbortController()
      const hasAnswered = answered.get(compute.endpointId)?.host === compute.host
      const session = createSession(compute, { ...options, database, addresses, hasAnswered })
      if ('problem' in session) return notConnected(session.problem)
      const { client } = session
      const read = readWith(client, kind, options)
        .then((reading): ReadingResult => {
          answered.set(compute.endpointId, compute)
          return { kind: 'read', reading }
        })
        .catch((error: unknown) => {
          answered.delete(compute.endpointId)
          if (isAuthenticationError(error)) addresses.forget(compute)
          return readingFailure(error)
        })
        .finally(() => done.abort())
      const late = clock
        .sleep(deadline, AbortSignal.any([signal, done.signal]))
        .then(() => (done.signal.aborted ? read : signal.aborted ? STOPPED : overdue(deadline)))
      const result = await Promise.race([read, late])
      if (!done.signal.aborted) client.connection.stream.destroy()
      return result
    },
  }
}

type Target = { readonly kind: Reading['kind']; readonly database: string }

const targetOf = (wanted: Reading['kind'], database: string | undefined): Target =>
  wanted === 'light' || database === undefined
    ? { kind: 'light', database: MAINTENANCE_DATABASE }
    : { kind: 'full', database }

type SessionOptions = Pick<ReadingsOptions, 'authentication' | 'deadline'> &
  Readonly<{
    database: string
    addresses: ConnectionAddresses
    /** Its host answered the reading before. */
    hasAnswered: boolean
  }>

/** The address may hold a password, so no problem names it. */
function createSession(
  compute: Compute,
  { database, addresses, hasAnswered, deadline, authentication }: SessionOptions,
): { readonly client: Client } | { readonly problem: string } {
  const timeout = hasAnswered ? seconds(Math.min(deadline, RECONNECT_TIMEOUT)) : deadline
  try {
    const target = addresses.of(compute, database)
    if (!target.ok) return { problem: target.error }
    return { client: createSessionClient(target.value, { timeout, authentication }) }
  } catch {
    return { problem: `the address of ${compute.endpointId} has a part that cannot be used` }
  }
}

const overdue = (deadline: Seconds) =>
  ({ kind: 'failed', because: 'timeout', message: `no answer within ${deadline} s` }) as const

const STOPPED = { kind: 'failed', because: 'error', message: 'Dormouse stopped during the reading' } as const

const notConnected = (message: string): ReadingResult => ({
  kind: 'failed',
  because: 'error',
  message,
  unconnected: true,
})

type LightRows = ServerRows & { readonly clients: ClientsReading }

/** @throws when there is no session, or it is lost */
async function readWith(
  client: Client,
  kind: Reading['kind'],
  { serviceUsers, clock }: ReadingsOptions,
): Promise<Reading> {
  try {
    await client.connect()
    const server = {
      limits: LIMITS_QUERY,
      clients: clientsQuery(serviceUsers),
      workers: WORKERS_QUERY,
      use: USAGE_QUERY,
    }
    const reading =
      kind === 'light'
        ? { ...serverReading(await queryParts<LightRows>(client, server)), ...cacheNotRead(LIGHT) }
        : await fullReading(client, server)
    if (Math.abs(reading.serverTime - clock.now()) > MAX_CLOCK_DIFFERENCE)
      throw new Error('the clock of the server and ours are more than a day apart')
    await leave(client, clock)
    return { kind, ...reading }
  } catch (error) {
    // A connection that failed half-way may wait for ever to be ended in good order.
    client.connection.stream.destroy()
    throw error
  }
}

/** Longest wait for the other side to close the connection: some proxies leave that to the client, and the reading is done. */
const LEAVE_WITHIN = seconds(0.5)

async function leave(client: Client, clock: Clock): Promise<void> {
  const left = new AbortController()
  const leaving = client.end().finally(() => left.abort())
  await Promise.race([leaving, clock.sleep(LEAVE_WITHIN, left.signal)])
  client.connection.stream.destroy()
}

/** Milliseconds: what a reading shows is kept until its time is over, so that a time far ahead would be kept for ever. */
const MAX_CLOCK_DIFFERENCE = DAY

const LIGHT = { missing: 'a light reading' }

async function fullReading(
  client: Client,
  server: { readonly [Part in keyof LightRows]: PartQuery<LightRows[Part]> },
): Promise<Omit<Reading, 'kind'>> {
  const rows = await queryParts<LightRows & { readonly extension: ExtensionRow }>(client, {
    ...server,
    extension: FIND_EXTENSION,
  })
  return { ...serverReading(rows), ...(await readCache(client, rows.extension)) }
}

type ServerReading = Omit<Reading, 'kind' | 'cache' | 'workingSet'>

export function serverReading({
  limits,
  clients,
  workers,
  use,
}: {
  readonly [Part in keyof LightRows]: LightRows[Part] | NotRead
}): ServerReading {
  if ('missing' in limits) throw new Error(limits.missing)
  const { seesAll: _, ...server } = limits
  const visible = visibleClients(clients, limits)
  const part = <Key extends keyof ClientsReading>(key: Key) => ('missing' in visible ? visible : visible[key])
  return {
    ...server,
    connections: part('connections'),
    causes: decodeIndicators(workers, part('causes')),
    clients: part('groups'),
    usage: use,
  }
}

/** SQLSTATE when every connection is taken. Source: service-facts.md, "Inside Postgres". */
const TOO_MANY_CONNECTIONS = '53300'
const CANCELLED = '57014'
/** SQLSTATEs of a wrong password, and of a missing role or right to connect. */
const AUTHENTICATION_ERRORS: readonly string[] = ['28P01', '28000']

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Whether other credentials could help. */
const isAuthenticationError = (error: unknown): boolean => AUTHENTICATION_ERRORS.includes(codeOf(error))

function readingFailure(error: unknown): ReadingResult {
  const code = codeOf(error)
  const message = messageText(error instanceof Error ? error.message : error)
  // The limit of our own role is not that of the compute.
  if (code === TOO_MANY_CONNECTIONS && !message.startsWith('too many connections for role'))
    return { kind: 'at-limit' }
  const isTimeout = code === CANCELLED || message.includes('timeout')
  return { kind: 'failed', because: isTimeout ? 'timeout' : 'error', message: withAdvice(code, message) }
}

/** Codes of the TLS library for a certificate that it cannot verify. */
const CERTIFICATE_ERROR =
  /^(SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_|CERT_|ERR_TLS_CERT_|INVALID_CA|HOSTNAME_MISMATCH)/

/** The message with what an operator can do about it. */
function withAdvice(code: string, message: string): string {
  if (AUTHENTICATION_ERRORS.includes(code))
    return `${message}: check role and password in dsn, or reading.role where the service is asked for them`
  if (CERTIFICATE_ERROR.test(code))
    return `${message}: the certificate of the server cannot be verified; name its authority with sslrootcert=FILE in dsn or with reading.sslrootcert, or give up the check with sslmode: no-verify`
  if (message.startsWith('unsupported startup parameter'))
    return `${message}: a pooler answers; name the host of the server itself`
  if (message.includes('does not support SSL'))
    return `${message}: only where plain text is as good as that, add sslmode=disable to dsn, or set reading.sslmode`
  return message
}
