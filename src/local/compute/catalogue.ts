// Roles and databases of a server, as the control plane has them.
import { type Client, escapeIdentifier as quoted, escapeLiteral } from 'pg'
import type { Behaviour } from '../control/behaviour.ts'
import type { Catalogue } from '../control/project.ts'
import { SUPERUSER } from './configuration.ts'
import { type ServerAddress, withSession } from './connect.ts'
import { apiRoleOptions } from './schema.ts'

/** Creates, alters and drops what the catalogue says; may be repeated. Objects made in SQL stay. */
export function applyCatalogue(server: ServerAddress, catalogue: Catalogue, rules: Behaviour): Promise<void> {
  return withSession(server, async (client) => {
    await applyRoles(client, catalogue, apiRoleOptions(server.binaries.major))
    await applyDatabases(client, catalogue)
    for (const name of catalogue.dropped.databases)
      await client.query(`drop database if exists ${quoted(name)} with (force)`)
    for (const name of catalogue.dropped.roles) await dropRole(client, server, name)
    const [grant, to] = rules.postgresConnect ? ['grant', 'to'] : ['revoke', 'from']
    await client.query(`${grant} connect on database postgres ${to} public`)
  })
}

async function namesIn(client: Client, sql: string): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ readonly name: string }>(sql)
  return new Set(rows.map(({ name }) => name))
}

const ROLES_QUERY = 'select rolname as name from pg_catalog.pg_roles'
const DATABASES_QUERY = 'select datname as name from pg_catalog.pg_database'

/** Roles of the API are members of `neon_superuser` (service-facts 8.1). */
async function applyRoles(client: Client, { roles }: Catalogue, newOptions: string): Promise<void> {
  const existing = await namesIn(client, ROLES_QUERY)
  for (const { name, password } of roles) {
    const [verb, options] = existing.has(name) ? ['alter', 'login'] : ['create', newOptions]
    await client.query(`${verb} role ${quoted(name)} ${options} password ${escapeLiteral(password)}`)
  }
}

async function applyDatabases(client: Client, { databases }: Catalogue): Promise<void> {
  const existing = await namesIn(client, DATABASES_QUERY)
  for (const { name, owner } of databases) {
    const [verb, clause] = existing.has(name) ? ['alter', 'owner to'] : ['create', 'owner']
    await client.query(`${verb} database ${quoted(name)} ${clause} ${quoted(owner)}`)
  }
}

/** Gives the role's objects in every database to the superuser first: an owner cannot be dropped. */
async function dropRole(client: Client, server: ServerAddress, name: string): Promise<void> {
  const existing = await namesIn(client, ROLES_QUERY)
  if (!existing.has(name)) return
  for (const database of await namesIn(client, `${DATABASES_QUERY} where datallowconn`))
    await withSession({ ...server, database }, async (session) => {
      await session.query(`reassign owned by ${quoted(name)} to ${SUPERUSER}`)
      await session.query(`drop owned by ${quoted(name)}`)
    })
  await client.query(`drop role ${quoted(name)}`)
}
