// Makes the roles and databases of a server what the control plane says they are.
import type { Client } from 'pg'
import type { Catalogue } from '../control/project.ts'
import { SUPERUSER } from './configuration.ts'
import { connectSuperuser } from './connect.ts'

/** A server of this machine, as superuser. */
export type ServerAddress = { readonly port: number; readonly password: string }

/**
 * Creates what is missing, sets passwords and owners, and drops what is to be gone; may be repeated. What users made
 * in SQL is left alone.
 */
export async function applyCatalogue(
  server: ServerAddress,
  catalogue: Catalogue,
  { postgresConnect }: { readonly postgresConnect: boolean },
): Promise<void> {
  const client = await connectSuperuser({ ...server, database: 'postgres' })
  try {
    await makeRoles(client, catalogue)
    await makeDatabases(client, catalogue)
    for (const name of catalogue.dropped.databases)
      await client.query(`drop database if exists ${quoted(name)} with (force)`)
    for (const name of catalogue.dropped.roles) await dropRole(client, server, name)
    await client.query(
      `${postgresConnect ? 'grant' : 'revoke'} connect on database postgres ${
        postgresConnect ? 'to' : 'from'
      } public`,
    )
  } finally {
    await client.end()
  }
}

/** An identifier, whatever its characters. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A string constant, whatever its characters. */
const constant = (text: string): string => `'${text.replaceAll("'", "''")}'`

async function namesIn(client: Client, sql: string): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ readonly name: string }>(sql)
  return new Set(rows.map(({ name }) => name))
}

/** Roles made through the API are members of `neon_superuser` (service-facts 8.1). */
async function makeRoles(client: Client, { roles }: Catalogue): Promise<void> {
  const known = await namesIn(client, 'select rolname as name from pg_catalog.pg_roles')
  for (const { name, password } of roles) {
    const verb = known.has(name) ? 'alter' : 'create'
    await client.query(`${verb} role ${quoted(name)} login password ${constant(password)}`)
    if (!known.has(name)) await client.query(`grant neon_superuser to ${quoted(name)}`)
  }
}

async function makeDatabases(client: Client, { databases }: Catalogue): Promise<void> {
  const known = await namesIn(client, 'select datname as name from pg_catalog.pg_database')
  for (const { name, owner } of databases) {
    const sql = known.has(name)
      ? `alter database ${quoted(name)} owner to ${quoted(owner)}`
      : `create database ${quoted(name)} owner ${quoted(owner)}`
    await client.query(sql)
  }
}

/** What the role owns goes to the service, in every database, so that nothing holds it back. */
async function dropRole(client: Client, server: ServerAddress, name: string): Promise<void> {
  const known = await namesIn(client, 'select rolname as name from pg_catalog.pg_roles')
  if (!known.has(name)) return
  const databases = await namesIn(
    client,
    'select datname as name from pg_catalog.pg_database where datallowconn',
  )
  for (const database of databases) {
    const inside = await connectSuperuser({ ...server, database })
    try {
      await inside.query(`reassign owned by ${quoted(name)} to ${SUPERUSER}`)
      await inside.query(`drop owned by ${quoted(name)}`)
    } finally {
      await inside.end()
    }
  }
  await client.query(`drop role ${quoted(name)}`)
}
