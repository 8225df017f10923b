// The tables of the embedded store. Every key begins with the account.
import type { DatabaseSync } from 'node:sqlite'

/** Each entry takes the schema one version further; entries are appended, never changed. */
const MIGRATIONS: readonly string[] = [
  `
  create table account_ledger (
    account text primary key,
    body text not null
  ) strict;
  create table compute_account (
    account text not null,
    project_id text not null,
    endpoint_id text not null,
    body text not null,
    primary key (account, project_id, endpoint_id)
  ) strict;
  create table awake_interval (
    account text not null,
    project_id text not null,
    endpoint_id text not null,
    from_ms integer not null,
    to_ms integer not null,
    body text not null,
    primary key (account, project_id, endpoint_id, from_ms, to_ms)
  ) strict;
  `,
  `
  create table project_account (
    account text not null,
    project_id text not null,
    body text not null,
    primary key (account, project_id)
  ) strict;
  insert into project_account
    select account, json_extract(project.value, '$.projectId'), json_object('project', json(project.value))
    from account_ledger, json_each(account_ledger.body, '$.projects') as project;
  update account_ledger set body = json_remove(body, '$.projects', '$.listedAt');
  `,
]

/** Brings the schema to this program's version, in one transaction. @throws when the file was written by a newer one */
export function migrate(database: DatabaseSync, file: string): void {
  const found = Number(database.prepare('pragma user_version').get()?.['user_version'] ?? 0)
  if (found > MIGRATIONS.length) {
    throw new Error(
      `${file} has schema version ${found}, this Dormouse knows ${MIGRATIONS.length}: run the newer Dormouse, or choose another store.folder`,
    )
  }
  database.exec('begin immediate')
  try {
    for (const statements of MIGRATIONS.slice(found)) database.exec(statements)
    database.exec(`pragma user_version = ${MIGRATIONS.length}`)
    database.exec('commit')
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw new Error(`could not bring ${file} to schema version ${MIGRATIONS.length}`, { cause: error })
  }
}
