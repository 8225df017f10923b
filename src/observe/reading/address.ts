// Where a compute is connected to: the template of the configuration, or what the service says when it may be asked.
import type { Compute } from '../../model/service/compute.ts'
import type { ConnectionUri, Service } from '../../model/ports/service.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { serviceErrorText } from '../../model/service/service-error.ts'

/** Where the service says that a compute is; the problem is one line. */
type Ask = (compute: Compute, signal: AbortSignal) => Promise<Result<ConnectionUri, string>>

/** Asks the service for the connection string of one role. */
export const askServiceForUri =
  (
    service: Pick<Service, 'getConnectionUri'>,
    who: { readonly role: string; readonly database: string },
  ): Ask =>
  async ({ projectId, endpointId }, signal) => {
    const answer = await service.getConnectionUri(projectId, { endpointId, ...who }, signal)
    if (answer.ok && answer.value) return ok(answer.value)
    const why = answer.ok ? 'the configuration does not allow to ask' : serviceErrorText(answer.error)
    return failed(`no connection string for role ${who.role} and database ${who.database}: ${why}`)
  }

export type AddressOptions = {
  /** A connection string with `{host}`, `{endpoint_id}`, `{project_id}` and `{database}`; without a password. */
  readonly dsn: string | undefined
  /** Asked at every reading, so that a rotated password is seen. */
  readonly password: () => string | undefined
  /** Asked where there is no `dsn`, and only where the operator allowed it: its answers are credentials. */
  readonly ask?: Ask | undefined
}

export type ConnectionAddresses = {
  readonly known: boolean
  /** May hold a password, so it is told to nobody. The problem holds none. */
  of(compute: Compute, database: string, signal: AbortSignal): Promise<Result<string, string>>
  /** What the service said of `compute` is not right any more. */
  forget(compute: Compute): void
}

export function createConnectionAddresses({ dsn, password, ask }: AddressOptions): ConnectionAddresses {
  const told = new Map<string, ConnectionUri>()
  const tell: Ask = async (compute, signal) => {
    const kept = told.get(compute.endpointId)
    if (kept) return ok(kept)
    const answer = (await ask?.(compute, signal)) ?? failed('no dsn')
    if (answer.ok) told.set(compute.endpointId, answer.value)
    return answer
  }
  return {
    known: dsn !== undefined || ask !== undefined,
    of: async (compute, database, signal) => {
      if (dsn !== undefined) return filled(dsn, { compute, database, secret: password() })
      const answer = await tell(compute, signal)
      return answer.ok ? inDatabase(answer.value.reveal(), { compute, database }) : answer
    },
    forget: ({ endpointId }) => void told.delete(endpointId),
  }
}

type Target = { readonly compute: Compute; readonly database: string }

/** The client lets an address overrule all other settings, so the password has to be part of it. */
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
  return ok(verified(url))
}

function inDatabase(uri: string, { compute, database }: Target): Result<string, string> {
  if (!URL.canParse(uri))
    return failed(`what the service says of ${compute.endpointId} is not a connection string`)
  const url = new URL(uri)
  url.pathname = `/${encodeURIComponent(database)}`
  return ok(verified(url))
}

/** The client would talk in plain text, or trust anybody; whoever wants that says so with sslmode=disable or no-verify. */
function verified(url: URL): string {
  if (['', 'allow', 'prefer', 'require'].includes(url.searchParams.get('sslmode') ?? ''))
    url.searchParams.set('sslmode', 'verify-full')
  return url.href
}
