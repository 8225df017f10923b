// Requests for roles and databases of a branch: they change its catalogue, which `apply_config` applies to its server.
import { type Answered, notFound, refuseRequest, schedule } from './answers.ts'
import { type Draft, type PlannedActions, branchOf, subjectOf, withBranch, withCompute } from '../draft.ts'
import type { BranchRequest, Refusal } from '../events.ts'
import { type Branch, type Catalogue, type Compute, type Database, primaryOf } from '../project.ts'
import { exceededQuota } from '../usage/quota.ts'
import { conflictOf } from './validation.ts'

type CatalogueRequest = Exclude<BranchRequest, { kind: 'create-branch' | 'update-branch' | 'delete-branch' }>
type CatalogueResult =
  | { readonly ok: true; readonly catalogue: Catalogue }
  | { readonly ok: false; readonly refusal: Refusal }

/** Names that Postgres or the service uses itself. */
const RESERVED_ROLES =
  /^(?:pg_.*|cloud_admin|neon_superuser|postgres|public|none|current_user|session_user|current_role|user)$/i
const RESERVED_DATABASES = /^(?:postgres|template0|template1)$/

/** Longest name, bytes of UTF-8: Postgres truncates longer ones. */
const MAX_NAME_LENGTH = 63

export function applyCatalogueRequest(draft: Draft, request: CatalogueRequest): Answered {
  const branch = branchOf(draft.project, request.branchId)
  if (!branch) return notFound(draft, `branch ${request.branchId}`)
  const result = changeCatalogue(draft, branch, request)
  if (!result.ok) return refuseRequest(draft, result.refusal)
  const conflict = conflictOf(draft.project, undefined)
  if (conflict) return refuseRequest(draft, conflict)
  const catalogue = { ...result.catalogue, revision: branch.catalogue.revision + 1 }
  return scheduleUpdate(withBranch(draft, branch.id, { catalogue }), branch.id)
}

/** Schedules the update of the primary. Without a primary, or where it may not wake, the next start applies the catalogue. */
function scheduleUpdate(draft: Draft, branchId: string): Answered {
  const compute = primaryOf(draft.project, branchId)
  if (!compute) return schedule(draft, { branchId, endpointId: undefined }, [])
  const steps = stepsFor(draft, compute)
  const pending = steps.length > 1 ? 'active' : compute.pending
  return schedule(withCompute(draft, compute.id, { pending }), subjectOf(compute), steps)
}

function stepsFor({ project, context }: Draft, { state, config }: Compute): PlannedActions {
  if (state === 'active') return [['apply_config', { kind: 'configure' }]]
  if (config.disabled || !context.settings.patchWakesIdle || exceededQuota(project, context.now)) return []
  return [
    ['apply_config', { kind: 'configure' }],
    ['suspend_compute', { kind: 'suspend-unless-used' }],
  ]
}

function changeCatalogue(draft: Draft, { catalogue }: Branch, request: CatalogueRequest): CatalogueResult {
  switch (request.kind) {
    case 'create-role':
      return createRole(catalogue, request, draft.context.now)
    case 'reset-password':
      return resetPassword(catalogue, request, draft.context.now)
    case 'delete-role':
      return deleteRole(catalogue, request.name)
    case 'create-database':
      return createDatabase(draft, catalogue, request)
    case 'delete-database':
      return deleteDatabase(catalogue, request.name)
  }
}

const refused = (status: Refusal['status'], message: string): CatalogueResult => ({
  ok: false,
  refusal: { status, message },
})

const changed = (catalogue: Catalogue, change: Partial<Catalogue>): CatalogueResult => ({
  ok: true,
  catalogue: { ...catalogue, ...change },
})

/** Problem of a name; undefined when it is valid. */
export function nameProblem(name: string, kind: 'role' | 'database'): string | undefined {
  const reserved = kind === 'role' ? RESERVED_ROLES : RESERVED_DATABASES
  if (reserved.test(name)) return `${kind}.name: ${JSON.stringify(name)} is reserved`
  const isTooLong = new TextEncoder().encode(name).length > MAX_NAME_LENGTH
  if (name === '' || !/^[^\p{Cc}\p{Cs}]+$/u.test(name) || isTooLong)
    return `${kind}.name: expected 1 to ${MAX_NAME_LENGTH} bytes without control characters`
  return undefined
}

type RoleRequest = { readonly name: string; readonly password: string }

function createRole(catalogue: Catalogue, { name, password }: RoleRequest, now: number): CatalogueResult {
  const problem = nameProblem(name, 'role')
  if (problem) return refused(400, problem)
  if (catalogue.roles.some((role) => role.name === name))
    return refused(409, `role.name: role ${JSON.stringify(name)} exists`)
  const { dropped } = catalogue
  return changed(catalogue, {
    roles: [...catalogue.roles, { name, password, createdAt: now, updatedAt: now }],
    dropped: { ...dropped, roles: dropped.roles.filter((role) => role !== name) },
  })
}

function resetPassword(catalogue: Catalogue, { name, password }: RoleRequest, now: number): CatalogueResult {
  if (!catalogue.roles.some((role) => role.name === name)) return refused(404, `role not found: ${name}`)
  return changed(catalogue, {
    roles: catalogue.roles.map((role) => (role.name === name ? { ...role, password, updatedAt: now } : role)),
  })
}

function deleteRole(catalogue: Catalogue, name: string): CatalogueResult {
  if (!catalogue.roles.some((role) => role.name === name)) return refused(404, `role not found: ${name}`)
  const owned = catalogue.databases.find(({ owner }) => owner === name)
  if (owned) return refused(422, `role ${JSON.stringify(name)} owns database ${JSON.stringify(owned.name)}`)
  const { dropped } = catalogue
  return changed(catalogue, {
    roles: catalogue.roles.filter((role) => role.name !== name),
    dropped: { ...dropped, roles: [...dropped.roles, name] },
  })
}

function createDatabase(
  { project, context }: Draft,
  catalogue: Catalogue,
  { name, owner }: { readonly name: string; readonly owner: string },
): CatalogueResult {
  const problem = nameProblem(name, 'database')
  if (problem) return refused(400, problem)
  if (catalogue.databases.some((database) => database.name === name))
    return refused(409, `database.name: database ${JSON.stringify(name)} exists`)
  if (!catalogue.roles.some((role) => role.name === owner))
    return refused(404, `database.owner_name: role not found: ${owner}`)
  const { now } = context
  const ids = project.branches.flatMap((branch) => branch.catalogue.databases.map(({ id }) => id))
  const database: Database = { id: Math.max(0, ...ids) + 1, name, owner, createdAt: now, updatedAt: now }
  const { dropped } = catalogue
  return changed(catalogue, {
    databases: [...catalogue.databases, database],
    dropped: { ...dropped, databases: dropped.databases.filter((other) => other !== name) },
  })
}

function deleteDatabase(catalogue: Catalogue, name: string): CatalogueResult {
  if (!catalogue.databases.some((database) => database.name === name))
    return refused(404, `database not found: ${name}`)
  const { dropped } = catalogue
  return changed(catalogue, {
    databases: catalogue.databases.filter((database) => database.name !== name),
    dropped: { ...dropped, databases: [...dropped.databases, name] },
  })
}
