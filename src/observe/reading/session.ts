// The client of one reading. The server is not trusted: it cannot make the process end, grow or give away the password.
//
// 1. A password is sent by the methods of `reading.authentication` only; another request for it ends the session.
// 2. A session ends after `MAX_ANSWER` bytes or `MAX_MESSAGES` messages, and with the first bytes that are no message of Postgres.
// 3. Names in statements mean those of Postgres itself, not what others created in the database (CVE-2018-1058), and nothing is written.
import { Client, Connection, type ClientConfig } from 'pg'
import type { Seconds } from '../../model/units.ts'
import type { ConnectionTarget } from './address.ts'

/** As libpq's `require_auth` names them. */
export type PasswordMethod = 'scram-sha-256' | 'md5' | 'password'

export type SessionLimits = Readonly<{ timeout: Seconds; authentication: readonly PasswordMethod[] }>

/** Bytes of all answers to one reading: some 20 KiB with twenty groups of long names. */
const MAX_ANSWER = 2 ** 20
/** Messages of all answers to one reading, some 100: the library takes up to 25 µs for one. */
const MAX_MESSAGES = 400
/** Columns of an answer, which has one per part. */
const MAX_COLUMNS = 16
/** Milliseconds: a reading must not add to the load of a busy compute. */
const STATEMENT_TIMEOUT = 2000
/** Milliseconds: nobody may wait in line behind a reading that waits for a lock. */
const LOCK_TIMEOUT = 500
/** Start-up options, which overrule settings of the role and of the database. */
const SETTINGS = '-c search_path=pg_catalog -c default_transaction_read_only=on'

/** @throws when the target has a part that cannot be used */
export function createSessionClient(
  target: ConnectionTarget,
  { timeout, authentication }: SessionLimits,
): Client {
  const config: ClientConfig & { connection: Connection } = {
    ...target,
    connection: createConnection(target, authentication),
    options: `${target.options} ${SETTINGS}`.trim(),
    password: () => target.password() ?? missingPassword(),
    application_name: 'dormouse',
    statement_timeout: STATEMENT_TIMEOUT,
    lock_timeout: LOCK_TIMEOUT,
    connectionTimeoutMillis: timeout * 1000,
    types: { getTypeParser: () => (text: string) => text },
  }
  const client = new Client(config)
  // A server that ends the session between two statements emits an event; the next statement fails and reports it.
  client.on('error', () => undefined)
  return client
}

function missingPassword(): never {
  throw new Error(
    'the server asks for a password and none is configured: set dsn_password_file or dsn_password_env',
  )
}

/** Events of the client library at a request for the password. */
const REQUESTS: readonly (readonly [event: string, method: PasswordMethod])[] = [
  ['authenticationSASL', 'scram-sha-256'],
  ['authenticationMD5Password', 'md5'],
  ['authenticationCleartextPassword', 'password'],
]

function createConnection({ ssl }: ConnectionTarget, authentication: readonly PasswordMethod[]): Connection {
  const connection = new Connection({ ssl })
  for (const [event, method] of REQUESTS)
    if (!authentication.includes(method))
      // before the client's own listener, which then finds a stream that takes nothing
      connection.on(event, () => connection.stream.destroy(new Error(refusalText(method))))
  let messages = 0
  connection.on('message', ({ fieldCount = 0 }: { readonly fieldCount?: number }) => {
    messages += 1
    if (messages > MAX_MESSAGES || fieldCount > MAX_COLUMNS) throw new Error('more than a reading asks for')
  })
  const parsing = connection as Connection & { attachListeners: (stream: MessageSource) => void }
  const attach = parsing.attachListeners.bind(connection)
  parsing.attachListeners = (stream) => attach(guarded(stream))
  return connection
}

const refusalText = (method: PasswordMethod): string =>
  `the server asks for the password by ${method === 'password' ? 'clear text' : method}, which reading.authentication does not allow`

type Listener = (piece: Buffer | undefined) => void
type MessageSource = Readonly<{
  on: (event: string, listener: Listener) => unknown
  destroy: (problem: Error) => unknown
}>

/** The library throws out of its listener at bytes that it cannot read, which would end the process. */
function guarded(stream: MessageSource): MessageSource {
  let received = 0
  const end = (problem: Error) => void stream.destroy(problem)
  const guard = (listener: Listener, piece: Buffer | undefined) => {
    received += piece?.length ?? 0
    if (received > MAX_ANSWER) return end(new Error('the server answered more than 1 MiB to one reading'))
    try {
      return listener(piece)
    } catch (cause) {
      return end(new Error('the server sent what no server of Postgres answers to a reading', { cause }))
    }
  }
  return {
    on: (event, listener) => stream.on(event, (piece) => guard(listener, piece)),
    destroy: end,
  }
}
