// Roles and databases of a branch: kept as what is to be, and made so in its server by `apply_config`.
import { type Answered, notFound, refuseRequest, schedule } from './answers.ts'
import { type Draft, type PlannedActions, branchOf, subjectOf, withBranch, withCompute } from '../draft.ts'
import type { BranchRequest, Refusal } from '../events.ts'
import { type Branch, type Catalogue, type Compute, type Database, primaryOf } from '../project.ts'
import { exceededQuota } from '../usage/quota.ts'
import { conflictOf } from './validation.ts'

type CatalogueRequest = Exclude<BranchRequest, { kind: 'create-branch' | 'update-branch' | 'delete-branch' }>
type Changed =
  | { readonly ok: true; readonly catalogue: Catalogue }
  | { readonly ok: false; readonly refusal: Refusal }

/** Names Postgres or the service needs itself. */
const RESERVED_ROLES =
  /^(?:pg_.*|cloud_admin|neon_superuser|postgres|public|none|current_user|session_user|current_role|user)$/i
const RESERVED_DATABASES = /^(?:postgres|template0|template1)$/

/** Longest name, bytes of UTF-8; Postgres cuts longer ones. */
const LONGEST_NAME = 63

export function catalogueRequest(draft: Draft, asked: CatalogueRequest): Answered {
  const branch = branchOf(draft.project, asked.branchId)
  if (!branch) return notFound(draft, `branch ${asked.branchId}`)
  const changed = changedBy(draft, branch, asked)
  if (!changed.ok) return refuseRequest(draft, changed.refusal)
  const conflict = conflictOf(draft.project, undefined)
  if (conflict) return refuseRequest(draft, conflict)
  const catalogue = { ...changed.catalogue, revision: branch.catalogue.revision + 1 }
  return applied(withBranch(draft, branch.id, { catalogue }), branch.id)
}

/** Without a compute, or where none may wake, the next start of one makes it so. */
function applied(draft: Draft, branchId: string): Answered {
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

function changedBy(draft: Draft, { catalogue }: Branch, asked: CatalogueRequest): Changed {
  switch (asked.kind) {
    case 'create-role':
      return createRole(catalogue, asked, draft.context.now)
    case 'reset-password':
      return resetPassword(catalogue, asked, draft.context.now)
    case 'delete-role':
      return deleteRole(catalogue, asked.name)
    case 'create-database':
      return createDatabase(draft, catalogue, asked)
    case 'delete-database':
      return deleteDatabase(catalogue, asked.name)
  }
}

const refused = (status: Refusal['status'], message: string): Changed => ({
  ok: false,
  refusal: { status, message },
})

const changedTo = (catalogue: Catalogue, change: Partial<Catalogue>): Changed => ({
  ok: true,
  catalogue: { ...catalogue, ...change },
})

/** What is wrong with a name; undefined when nothing is. */
export function nameProblem(name: string, what: 'role' | 'database'): string | undefined {
  const reserved = what === 'role' ? RESERVED_ROLES : RESERVED_DATABASES
  if (reserved.test(name)) return `${what}.name: ${JSON.stringify(name)} is reserved`
  if (name === '' || !/^[^\p{Cc}\p{Cs}]+$/u.test(name) || bytesOf(name) > LONGEST_NAME)
    return `${what}.name: expected 1 to ${LONGEST_NAME} bytes without control characters`
  return undefined
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

type RoleRequest = { readonly name: string; readonly password: string }

function createRole(catalogue: Catalogue, { name, password }: RoleRequest, now: number): Changed {
  const problem = nameProblem(name, 'role')
  if (problem) return refused(400, problem)
  if (catalogue.roles.some((role) => role.name === name))
    return refused(409, `role.name: role ${JSON.stringify(name)} exists`)
  const role = { name, password, createdAt: now, updatedAt: now }
  const { dropped } = catalogue
  return changedTo(catalogue, {
    roles: [...catalogue.roles, role],
    dropped: { ...dropped, roles: dropped.roles.filter((gone) => gone !== name) },
  })
}

function resetPassword(catalogue: Catalogue, { name, password }: RoleRequest, now: number): Changed {
  if (!catalogue.roles.some((role) => role.name === name)) return refused(404, `role not found: ${name}`)
  return changedTo(catalogue, {
    roles: catalogue.roles.map((role) => (role.name === name ? { ...role, password, updatedAt: now } : role)),
  })
}

function deleteRole(catalogue: Catalogue, name: string): Changed {
  if (!catalogue.roles.some((role) => role.name === name)) return refused(404, `role not found: ${name}`)
  const owned = catalogue.databases.find(({ owner }) => owner === name)
  if (owned) return refused(422, `role ${JSON.stringify(name)} owns database ${JSON.stringify(owned.name)}`)
  const { dropped } = catalogue
  return changedTo(catalogue, {
    roles: catalogue.roles.filter((role) => role.name !== name),
    dropped: { ...dropped, roles: [...dropped.roles, name] },
  })
}

function createDatabase(
  { project, context }: Draft,
  catalogue: Catalogue,
  { name, owner }: { readonly name: string; readonly owner: string },
): Changed {
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
  return changedTo(catalogue, {
    databases: [...catalogue.databases, database],
    dropped: { ...dropped, databases: dropped.databases.filter((gone) => gone !== name) },
  })
}

function deleteDatabase(catalogue: Catalogue, name: string): Changed {
  if (!catalogue.databases.some((database) => database.name === name))
    return refused(404, `database not found: ${name}`)
  const { dropped } = catalogue
  return changedTo(catalogue, {
    databases: catalogue.databases.filter((database) => database.name !== name),
    dropped: { ...dropped, databases: [...dropped.databases, name] },
  })
}
