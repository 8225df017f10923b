// Requests for roles and databases change the catalogue of a branch; `apply_config` applies it to the server.
import { type Answered, type Outcome, type RequestHandlers, schedule } from './answers.ts'
import { type Draft, type PlannedActions, branchOf, subjectOf, withBranch, withCompute } from '../draft.ts'
import type { Refusal, Request } from '../events.ts'
import { type Catalogue, type Compute, type Database, datedAt, primaryOf } from '../project.ts'
import { exceededQuota } from '../usage/quota.ts'
import { updateSteps } from './compute-requests.ts'
import { conflictOf, notFound, refuse } from './validation.ts'

export const CATALOGUE_REQUESTS = {
  'create-role': ofCatalogue(createRole),
  'reset-password': ofCatalogue(resetPassword),
  'delete-role': ofCatalogue(deleteRole),
  'create-database': ofCatalogue(createDatabase),
  'delete-database': ofCatalogue(deleteDatabase),
} satisfies Partial<RequestHandlers>

/** Used by Postgres or the service. */
const RESERVED_ROLES =
  /^(?:pg_.*|cloud_admin|neon_superuser|postgres|public|none|current_user|session_user|current_role|user)$/i
const RESERVED_DATABASES = /^(?:postgres|template0|template1)$/

/** Bytes of UTF-8; Postgres truncates longer names. */
const MAX_NAME_LENGTH = 63

function ofCatalogue<Wanted extends { readonly branchId: string }>(
  changeOf: (catalogue: Catalogue, request: Wanted, draft: Draft) => Partial<Catalogue> | Refusal,
) {
  return (draft: Draft, request: Wanted): Outcome => {
    const branch = branchOf(draft.project, request.branchId)
    if (!branch) return notFound(`branch ${request.branchId}`)
    const change = changeOf(branch.catalogue, request, draft)
    if ('status' in change) return change
    const catalogue = { ...branch.catalogue, ...change, revision: branch.catalogue.revision + 1 }
    return conflictOf(draft) ?? scheduleUpdate(withBranch(draft, branch.id, { catalogue }), branch.id)
  }
}

/** Without a primary, or where it may not wake, the next start applies the catalogue. */
function scheduleUpdate(draft: Draft, branchId: string): Answered {
  const compute = primaryOf(draft.project, branchId)
  if (!compute) return schedule(draft, { branchId, endpointId: undefined }, [])
  const steps = stepsFor(draft, compute)
  const pending = steps.length > 1 ? 'active' : compute.pending
  return schedule(withCompute(draft, compute.id, { pending }), subjectOf(compute), steps)
}

function stepsFor(draft: Draft, { state, config }: Compute): PlannedActions {
  if (state === 'active') return [['apply_config', { kind: 'configure' }]]
  if (config.disabled || !draft.context.settings.patchWakesIdle || exceededQuota(draft)) return []
  return updateSteps({ kind: 'suspend-unless-used', why: 'config' })
}

/** Undefined when the name is valid. */
export function nameProblem(name: string, kind: 'role' | 'database'): string | undefined {
  const reserved = kind === 'role' ? RESERVED_ROLES : RESERVED_DATABASES
  if (reserved.test(name)) return `${kind}.name: ${JSON.stringify(name)} is reserved`
  const isTooLong = new TextEncoder().encode(name).length > MAX_NAME_LENGTH
  if (name === '' || !/^[^\p{Cc}\p{Cs}]+$/u.test(name) || isTooLong)
    return `${kind}.name: expected 1 to ${MAX_NAME_LENGTH} bytes without control characters`
  return undefined
}

type Change = Partial<Catalogue> | Refusal

const hasName = (items: readonly { readonly name: string }[], name: string) =>
  items.some((item) => item.name === name)

function createRole(catalogue: Catalogue, request: Request<'create-role'>, { context }: Draft): Change {
  const { name, password } = request
  const problem = nameProblem(name, 'role')
  if (problem) return refuse(400, problem)
  const { roles, dropped } = catalogue
  if (hasName(roles, name)) return refuse(409, `role.name: role ${JSON.stringify(name)} exists`)
  return {
    roles: [...roles, { name, password, ...datedAt(context.now) }],
    dropped: { ...dropped, roles: dropped.roles.filter((role) => role !== name) },
  }
}

function resetPassword({ roles }: Catalogue, request: Request<'reset-password'>, { context }: Draft): Change {
  const { name, password } = request
  if (!hasName(roles, name)) return refuse(404, `role not found: ${name}`)
  const change = { password, updatedAt: context.now }
  return { roles: roles.map((role) => (role.name === name ? { ...role, ...change } : role)) }
}

function deleteRole({ roles, databases, dropped }: Catalogue, { name }: Request<'delete-role'>): Change {
  if (!hasName(roles, name)) return refuse(404, `role not found: ${name}`)
  const owned = databases.find(({ owner }) => owner === name)
  if (owned) return refuse(422, `role ${JSON.stringify(name)} owns database ${JSON.stringify(owned.name)}`)
  return {
    roles: roles.filter((role) => role.name !== name),
    dropped: { ...dropped, roles: [...dropped.roles, name] },
  }
}

function createDatabase(catalogue: Catalogue, request: Request<'create-database'>, draft: Draft): Change {
  const { name, owner } = request
  const problem = nameProblem(name, 'database')
  if (problem) return refuse(400, problem)
  const { roles, databases, dropped } = catalogue
  if (hasName(databases, name)) return refuse(409, `database.name: database ${JSON.stringify(name)} exists`)
  if (!hasName(roles, owner)) return refuse(404, `database.owner_name: role not found: ${owner}`)
  const ids = draft.project.branches.flatMap((branch) => branch.catalogue.databases.map(({ id }) => id))
  const database: Database = { id: Math.max(0, ...ids) + 1, name, owner, ...datedAt(draft.context.now) }
  return {
    databases: [...databases, database],
    dropped: { ...dropped, databases: dropped.databases.filter((other) => other !== name) },
  }
}

function deleteDatabase({ databases, dropped }: Catalogue, { name }: Request<'delete-database'>): Change {
  if (!hasName(databases, name)) return refuse(404, `database not found: ${name}`)
  return {
    databases: databases.filter((database) => database.name !== name),
    dropped: { ...dropped, databases: [...dropped.databases, name] },
  }
}
