// Connection string of a compute: the template of the configuration, or the service's answer where the operator allows the request.
import type { Compute } from '../../model/service/compute.ts'
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
}>

export type ConnectionAddresses = {
  readonly isConfigured: boolean
  /** Asks the service where that is necessary. The problem holds no password. */
  prepare(compute: Compute, signal: AbortSignal): Promise<Result<unknown, string>>
  /** The prepared address. May hold a password, so it is never logged. The problem holds none. */
  of(compute: Compute, database: string): Result<string, string>
  /** The service's answer for `compute` is outdated. */
  forget(compute: Compute): void
  /** Forgets the answers for computes that are not `isKnown`. */
  evict(isKnown: (compute: Compute) => boolean): void
}

export function createConnectionAddresses({ dsn, password, ask }: AddressOptions): ConnectionAddresses {
  const uris = new Map<string, { readonly compute: Compute; readonly uri: ConnectionUri }>()
  return {
    isConfigured: dsn !== undefined || ask !== undefined,
    prepare: async (compute, signal) => {
      if (dsn !== undefined || uris.has(compute.endpointId)) return ok(undefined)
      const answer = (await ask?.(compute, signal)) ?? failed('no dsn')
      if (answer.ok) uris.set(compute.endpointId, { compute, uri: answer.value })
      return answer
    },
    of: (compute, database) => {
      if (dsn !== undefined) return filled(dsn, { compute, database, secret: password() })
      const known = uris.get(compute.endpointId)
      return known
        ? inDatabase(known.uri.reveal(), { compute, database })
        : failed('the address was not prepared')
    },
    forget: ({ endpointId }) => void uris.delete(endpointId),
    evict: (isKnown) => {
      for (const { compute } of uris.values()) if (!isKnown(compute)) uris.delete(compute.endpointId)
    },
  }
}

type Target = { readonly compute: Compute; readonly database: string }

/** The address overrules all other settings of the client, so the password has to be part of it. */
function filled(
  dsn: string,
  { compute, database, secret }: Target & { readonly secret: string | undefined },
): Result<string, string> {
  const text = dsn
    .replaceAll('{host}', compute.host)
    .replaceAll('{endpoint_id}', compute.endpointId)
    .replaceAll('{project_id}', compute.projectId)
    .replaceAll('{database}', encodeURIComponent(database))
  if (!URL.canParse(text))
    return failed(`dsn: with the host of ${compute.endpointId} filled in it is not an address`)
  const url = new URL(text)
  if (secret !== undefined) url.password = encodeURIComponent(secret)
  return ok(withVerification(url))
}

function inDatabase(uri: string, { compute, database }: Target): Result<string, string> {
  if (!URL.canParse(uri))
    return failed(`what the service says of ${compute.endpointId} is not a connection string`)
  const url = new URL(uri)
  url.pathname = `/${encodeURIComponent(database)}`
  return ok(withVerification(url))
}

/** By default the client would accept plain text or any certificate; an operator who wants that sets sslmode=disable or no-verify. */
function withVerification(url: URL): string {
  if (['', 'allow', 'prefer', 'require'].includes(url.searchParams.get('sslmode') ?? ''))
    url.searchParams.set('sslmode', 'verify-full')
  return url.href
}
