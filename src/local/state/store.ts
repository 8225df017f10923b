// Durable state in one SQLite file. Every acknowledged write is committed and synced.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

/** A folder with another one belongs to another version of this program. */
const FORMAT = 3

const SCHEMA = `
create table if not exists settings (name text primary key, value text not null);
create table if not exists keys (
  id integer primary key, name text not null, hash text not null unique, created_at integer not null,
  last_used_at integer, last_used_from text not null default '', revoked integer not null default 0
);
create table if not exists projects (id text primary key, state text not null);
create table if not exists operations (
  number integer primary key, id text not null unique, project_id text not null, state text not null
);
create index if not exists operations_of_project on operations (project_id, number);
create table if not exists intervals (
  project_id text not null, endpoint_id text not null, branch_id text not null,
  from_ms integer not null, to_ms integer not null, cu real not null
);
drop index if exists intervals_of_project;
create index if not exists intervals_by_end on intervals (project_id, to_ms);
create table if not exists wakes (
  project_id text not null, endpoint_id text not null, at_ms integer not null, cause text not null
);
create index if not exists wakes_of_project on wakes (project_id, at_ms);
create table if not exists stops (
  project_id text not null, endpoint_id text not null, at_ms integer not null, state text not null
);
create index if not exists stops_of_compute on stops (endpoint_id);
create table if not exists mutations (
  project_id text not null, endpoint_id text not null, at_ms integer not null, state text not null
);
create index if not exists mutations_of_compute on mutations (endpoint_id);
create table if not exists ports (endpoint_id text primary key, port integer not null);
create table if not exists applied (branch_id text primary key, version text not null);
`

export type Store = {
  /** A value in a template is bound as a parameter. */
  readonly sql: Statements
  /** Runs a transaction, on disk when this returns; an error rolls it back. */
  readonly commit: <Result>(write: () => Result) => Result
  setting(name: string): string | undefined
  setSetting(name: string, value: string): void
  close(): void
}

/** Locked until `close` or the end of the process; undefined when another process holds it. */
export function openStore(path: string): Store | undefined {
  const database = new DatabaseSync(path)
  try {
    // the system releases an exclusive lock however the process dies
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full')
    requireFormat(database, path)
    database.exec(`begin immediate; ${SCHEMA} pragma user_version = ${FORMAT}; commit`)
  } catch (error) {
    database.close()
    if (isLocked(error)) return undefined
    throw new Error(`the state file ${path} cannot be opened`, { cause: error })
  }
  return storeOn(database)
}

/** A file without tables is new. */
function requireFormat(database: DatabaseSync, path: string): void {
  const isNew = database.prepare('select 1 from sqlite_master limit 1').get() === undefined
  const format = Number(database.prepare('pragma user_version').get()?.['user_version'])
  if (isNew || format === FORMAT) return
  throw new Error(
    `${path} is of another version of this program (format ${format}, not ${FORMAT}): choose another folder`,
  )
}

const isLocked = (error: unknown) =>
  error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 6)

type Statements = ReturnType<typeof createStatements>

/** Prepared once. Not by `createTagStore`: its statements survive `close`, and the file stays locked. */
function createStatements(database: DatabaseSync) {
  const prepared = new Map<TemplateStringsArray, StatementSync>()
  const statement = (texts: TemplateStringsArray) => {
    const known = prepared.get(texts) ?? database.prepare(texts.join('?'))
    prepared.set(texts, known)
    return known
  }
  return {
    get: (texts: TemplateStringsArray, ...values: SQLInputValue[]) => statement(texts).get(...values),
    all: (texts: TemplateStringsArray, ...values: SQLInputValue[]) => statement(texts).all(...values),
    run: (texts: TemplateStringsArray, ...values: SQLInputValue[]) => statement(texts).run(...values),
  }
}

function storeOn(database: DatabaseSync): Store {
  const sql = createStatements(database)
  let isOpen = false
  const commit = <Result>(write: () => Result) => {
    if (isOpen) return write()
    database.exec('begin immediate')
    isOpen = true
    try {
      const result = write()
      database.exec('commit')
      return result
    } catch (error) {
      database.exec('rollback')
      throw error
    } finally {
      isOpen = false
    }
  }
  return {
    sql,
    commit,
    setting: (name) => sql.get`select value from settings where name = ${name}`?.['value']?.toString(),
    setSetting: (name, value) =>
      void commit(() => sql.run`insert or replace into settings values (${name}, ${value})`),
    close: () => database.close(),
  }
}
