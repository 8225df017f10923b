// Where and as whom a reading connects: by the operator's template, or by the service's answer where the operator allows the request.
// From the service's text only single fields are taken, each checked: it cannot name files, TLS settings or other start-up options.
import type { ClientConfig } from 'pg'
import { parse } from 'pg-connection-string'
import { HOST_NOT_ALLOWED, isHostAllowed, type AllowedHosts } from '../../model/service/allowed-hosts.ts'
import type { Compute } from '../../model/service/compute.ts'
import type { Readings } from '../../model/ports/readings.ts'
import type { ConnectionUri, Service } from '../../model/ports/service.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { serviceErrorText } from '../../model/service/service-error.ts'

/** Connection string of a compute by the service; the problem is one line. */
type Ask = (compute: Compute, signal: AbortSignal) => Promise<Result<ConnectionUri, string>>

export const askServiceForUri =
  (
    service: Pick<Service, 'getConnectionUri'>,
    { role, database }: { readonly role: string; readonly database: string },
  ): Ask =>
  async ({ projectId, endpointId }, signal) => {
    const answer = await service.getConnectionUri(projectId, { endpointId, role, database }, signal)
    if (answer.ok && answer.value) return ok(answer.value)
    const reason = answer.ok ? 'the configuration does not allow to ask' : serviceErrorText(answer.error)
    return failed(`no connection string for role ${role} and database ${database}: ${reason}`)
  }

export type AddressOptions = Readonly<{
  /** A connection string with `{host}`, `{endpoint_id}`, `{project_id}` and `{database}`; without a password. */
  dsn: string | undefined
  /** Called at every reading, so that a rotated password is used. */
  password: () => string | undefined
  /** Used without a `dsn`, and only where the operator allowed it: the answers are credentials. */
  ask?: Ask | undefined
  /** TLS for addresses of the service; `sslrootcert`: a file. A `dsn` has its own. */
  tls: Readonly<{ sslmode: string; sslrootcert: string | undefined }>
  hosts: AllowedHosts
}>

/** `options`: start-up options, which may name the compute. */
export type ConnectionTarget = Readonly<{
  host: string | undefined
  port: number
  user: string | undefined
  database: string
  options: string
  ssl: NonNullable<ClientConfig['ssl']>
  password: () => string | undefined
}>

export type ConnectionAddresses = {
  readonly refusalOf: Readings['refusalOf']
  /** Asks the service where that is necessary. The problem holds no password. */
  prepare(compute: Compute, signal: AbortSignal): Promise<Result<unknown, string>>
  /** The prepared address. The problem holds no password. @throws when a file of the template cannot be read */
  of(compute: Compute, database: string): Result<ConnectionTarget, string>
  /** The service's answer for `compute` is outdated. */
  forget(compute: Compute): void
  /** Forgets the answers for computes that are not `isKnown`. */
  evict(isKnown: (compute: Compute) => boolean): void
}

export function createConnectionAddresses(options: AddressOptions): ConnectionAddresses {
  const { dsn, password, ask, hosts } = options
  const uris = new Map<string, { readonly compute: Compute; readonly uri: ConnectionUri }>()
  return {
    refusalOf: ({ host }) => {
      if (dsn === undefined && ask === undefined) return 'no-dsn'
      return isHostAllowed(host, hosts) ? undefined : 'host-not-allowed'
    },
    prepare: async (compute, signal) => {
      const isKnown = uris.get(compute.endpointId)?.compute.host === compute.host
      if (dsn !== undefined || isKnown) return ok(undefined)
      const answer = (await ask?.(compute, signal)) ?? failed('no dsn')
      if (answer.ok) uris.set(compute.endpointId, { compute, uri: answer.value })
      return answer
    },
    of: (compute, database) => {
      if (!isHostAllowed(compute.host, hosts)) return failed(HOST_NOT_ALLOWED)
      if (dsn !== undefined) return ok({ ...filledTemplate(dsn, { compute, database }), password })
      const known = uris.get(compute.endpointId)
      return known
        ? targetOfService(known.uri.reveal(), { compute, database }, options)
        : failed('the address was not prepared')
    },
    forget: ({ endpointId }) => void uris.delete(endpointId),
    evict: (isKnown) => {
      for (const { compute } of uris.values()) if (!isKnown(compute)) uris.delete(compute.endpointId)
    },
  }
}

/** Database of light readings: the service mostly does not count sessions in it as activity. Source: service-facts.md, "What keeps a compute awake". */
export const MAINTENANCE_DATABASE = 'postgres'

/** The user database that a template names itself, as it is written there; undefined where it leaves it open. */
export function databaseInTemplate(dsn: string): string | undefined {
  const { database } = parse(dsn)
  const isOpen = !database || database.includes('{database}') || database === MAINTENANCE_DATABASE
  return isOpen ? undefined : database
}

type Place = { readonly compute: Compute; readonly database: string }

/** Port of Postgres, where an address has none. */
const DEFAULT_PORT = 5432

/** The template is taken apart before anything of the compute is filled in. */
function filledTemplate(dsn: string, { compute, database }: Place): Omit<ConnectionTarget, 'password'> {
  const fill = (text: string | null | undefined): string =>
    (text ?? '')
      .replaceAll('{host}', compute.host)
      .replaceAll('{endpoint_id}', compute.endpointId)
      .replaceAll('{project_id}', compute.projectId)
      .replaceAll('{database}', database)
  const template = parseWithTls(dsn)
  const named = fill(template.database)
  const isOpen = named === '' || [named, database].includes(MAINTENANCE_DATABASE)
  return {
    host: fill(template.host) || undefined,
    port: Number(template.port || DEFAULT_PORT),
    user: fill(template.user) || undefined,
    database: isOpen ? database : named,
    options: fill(template.options),
    ssl: template.ssl,
  }
}

function targetOfService(
  uri: string,
  { compute, database }: Place,
  { hosts, tls: { sslmode, sslrootcert } }: AddressOptions,
): Result<ConnectionTarget, string> {
  const login = loginIn(uri)
  if (!login) return failed(`what the service says of ${compute.endpointId} is not a connection string`)
  if (!isHostAllowed(login.host, hosts))
    return failed('host-not-allowed: the host of its connection string is not in reading.hosts')
  const settings = new URLSearchParams({ sslmode, ...(sslrootcert !== undefined && { sslrootcert }) })
  const { ssl } = parseWithTls(`postgresql://?${settings.toString()}`)
  return ok({ ...login, database, ssl })
}

/** User, password, host, port and the start-up option that names the compute; all else is left out. */
function loginIn(
  uri: string,
): (Omit<ConnectionTarget, 'database' | 'ssl'> & { readonly host: string }) | undefined {
  if (!URL.canParse(uri)) return undefined
  const { hostname: host, port, username, password, searchParams } = new URL(uri)
  const [user, secret] = [decoded(username), decoded(password)]
  if (user === undefined || secret === undefined || port === '0') return undefined
  const options = /^endpoint=[a-z0-9-]{1,60}$/.exec(searchParams.get('options') ?? '')?.[0] ?? ''
  return { host, port: Number(port || DEFAULT_PORT), user, password: () => secret, options }
}

/** Undefined for a bad escape and for control characters: NUL would begin another start-up option. */
function decoded(text: string): string | undefined {
  try {
    const whole = decodeURIComponent(text)
    return /^\P{Cc}+$/u.test(whole) ? whole : undefined
  } catch {
    return undefined
  }
}

/** By default the client would accept plain text or any certificate; an operator who wants that sets sslmode=disable or no-verify. */
function parseWithTls(dsn: string) {
  const url = new URL(dsn)
  if (['', 'allow', 'prefer', 'require'].includes(url.searchParams.get('sslmode') ?? ''))
    url.searchParams.set('sslmode', 'verify-full')
  const { ssl = true, ...rest } = parse(url.href)
  return { ...rest, ssl: typeof ssl === 'string' ? true : (ssl as ConnectionTarget['ssl']) }
}
