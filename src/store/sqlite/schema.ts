// Every key begins with the account, or with a compute of one.
import type { DatabaseSync } from 'node:sqlite'

/** In `user_version` of the file. Versions 1 to 17 were never released and are refused: a new store is filled by the service's history. */
const VERSION = 18

const SCHEMA = `
  -- One row: the number of the last opening for writing.
  create table lease (
    id integer primary key check (id = 1), epoch integer not null
  ) strict;
  create table account_value (
    account text not null, name text not null, body text not null,
    primary key (account, name)
  ) strict;
  create table project (
    account text not null, project_id text not null, body text not null,
    primary key (account, project_id)
  ) strict;
  -- History names a compute by this number: three bytes a row instead of fifty. Without a body, the compute was
  -- deleted; without an endpoint id, the row is that of a project.
  create table compute (
    id integer primary key, account text not null, project_id text not null, endpoint_id text not null,
    body text,
    unique (account, project_id, endpoint_id)
  ) strict;
  create table deleted_compute (
    compute integer primary key references compute, body text not null
  ) strict;
  -- Records have whole seconds, so several intervals may have the same start and end: nth tells them apart.
  create table awake_interval (
    compute integer not null references compute,
    from_ms real not null, from_earliest_ms real not null, from_latest_ms real not null, from_source text not null,
    to_ms real not null, to_earliest_ms real not null, to_latest_ms real not null, to_source text not null,
    nth integer not null, restart integer not null, sums text not null,
    primary key (compute, from_ms, to_ms, nth)
  ) strict, without rowid;
  create table day (
    compute integer not null references compute, date text not null, version integer not null,
    from_ms integer not null, to_ms integer not null, sums text not null,
    primary key (compute, date, version)
  ) strict, without rowid;
  create table rollup (
    compute integer not null references compute, length integer not null, from_ms integer not null,
    init_ms integer not null, active_ms integer not null, idle_ms integer not null, followed_ms integer not null, readings integer not null,
    size_count integer, size_sum real, size_min real, size_max real, size_source text,
    connections_count integer, connections_sum integer, connections_max integer,
    active_sum integer, active_max integer, idle_sum integer, idle_max integer,
    idle_in_transaction_sum integer, idle_in_transaction_max integer, other_sum integer, other_max integer,
    connection_limit integer, suspensions integer, suspended_idle_sum integer, suspended_idle_max integer,
    cache_hits integer, cache_misses integer, cache_warm_hits integer, cache_warm_misses integer,
    cache_over_ms integer, cache_used integer, cache_limit integer, working_set integer,
    arrivals integer, statement_ms integer, use_over_ms integer,
    longest_transaction real, culprits text,
    primary key (compute, length, from_ms)
  ) strict, without rowid;
  create table compute_statistics (
    compute integer primary key references compute, updated_ms integer not null, gap_counts text not null
  ) strict;
  create table gap (
    compute integer not null references compute, from_s integer not null,
    low integer not null, high integer not null, hidden_below integer not null,
    primary key (compute, from_s)
  ) strict, without rowid;
  create table setting (
    compute integer not null references compute, since_ms real not null, body text not null,
    primary key (compute, since_ms)
  ) strict, without rowid;
  -- Without ended_ms it is open, or dismissed without an end.
  create table recommendation (
    compute integer not null references compute, id text not null,
    state text not null, opened_ms real not null, ended_ms real, body text not null,
    primary key (compute, id)
  ) strict;
  create table advice (
    compute integer primary key references compute, body text not null
  ) strict;
  -- Without ended_ms it is open.
  create table change (
    account text not null, id text not null, version integer not null,
    project_id text not null, endpoint_id text not null, kind text not null,
    state text not null, created_ms real not null, ended_ms real, body text not null,
    primary key (account, id)
  ) strict;
  create unique index change_open on change (account, project_id, endpoint_id, kind) where ended_ms is null;
  create unique index change_applying on change (account, project_id) where state = 'applying';
  create index change_ended on change (ended_ms);
  create table change_event (
    account text not null, change_id text not null, version integer not null, body text not null,
    primary key (account, change_id, version)
  ) strict, without rowid;
  -- Sums over all changes that ever ended.
  create table change_tally (
    account text not null, project_id text not null, endpoint_id text not null, kind text not null,
    outcome text not null, count integer not null, interrupted integer not null, avoided integer not null,
    last_ms real not null,
    primary key (account, project_id, endpoint_id, kind, outcome)
  ) strict, without rowid;
  -- What a change that is done saved or cost more, in micros, by the time that was counted.
  create table saved_part (
    account text not null, change_id text not null, from_ms real not null, to_ms real not null,
    project_id text not null, endpoint_id text not null, team text not null,
    saved integer not null, extra integer not null,
    primary key (account, change_id, from_ms)
  ) strict, without rowid;
  create index saved_part_to on saved_part (account, to_ms);
  -- Sums over all parts that were ever counted.
  create table saved_tally (
    account text not null, project_id text not null, endpoint_id text not null, team text not null,
    saved integer not null, extra integer not null,
    primary key (account, project_id, endpoint_id, team)
  ) strict, without rowid;
  -- Without ended_ms it stands.
  create table placed_hold (
    account text not null, id text not null, placed_ms real not null, ended_ms real, body text not null,
    primary key (account, id)
  ) strict, without rowid;
  create index placed_hold_ended on placed_hold (ended_ms);
  create table forced_change (
    account text not null, change_id text not null, body text not null,
    primary key (account, change_id)
  ) strict, without rowid;
  create table brake (
    account text not null, name text not null, subject text not null, body text not null,
    primary key (account, name, subject)
  ) strict, without rowid;
  create table budget (
    account text not null, name text not null, body text not null,
    primary key (account, name)
  ) strict;
  -- Event numbers are never reused: a reader that has seen one knows which events are new.
  create table event (
    id integer primary key autoincrement, account text not null, at_ms real not null, topic text not null,
    key text not null, body text not null,
    unique (account, key)
  ) strict;
  create index event_at on event (at_ms);
  create table delivery (
    account text not null, sink text not null, kind text not null, item text not null, topic text not null,
    made_ms real not null, state text not null, next_ms real not null, body text not null,
    primary key (account, sink, kind, item)
  ) strict, without rowid;
  create index delivery_waiting on delivery (account, sink, next_ms) where state = 'waiting';
  create index delivery_topic on delivery (account, sink, topic, made_ms);
  create index delivery_made on delivery (made_ms);
  create table job_state (
    account text not null, job text not null, body text not null,
    primary key (account, job)
  ) strict;
  -- What lists and retention read lies before the text of the report, which is compressed.
  create table report (
    account text not null, slot text not null, made_ms real not null, team text, head text not null,
    body blob not null,
    primary key (account, slot)
  ) strict;
  create index report_made on report (made_ms);
  create index report_by_hand on report (made_ms) where substr(slot, 9, 8) = '-manual-';
`

const versionOf = (database: DatabaseSync) =>
  Number(database.prepare('pragma user_version').get()?.['user_version'] ?? 0)

/** @throws for a file of another schema version */
export function requireSchema(database: DatabaseSync, file: string): void {
  const version = versionOf(database)
  if (version === VERSION) return
  const remedy =
    version > VERSION
      ? `knows ${VERSION}: run the newer Dormouse, or choose another store.folder`
      : `needs ${VERSION}: choose another store.folder, a new store is filled from the service's own history`
  throw new Error(`${file} has schema version ${version}, this Dormouse ${remedy}`)
}

/** In an empty file. @throws for a file of another schema version */
export function createSchema(database: DatabaseSync, file: string): void {
  if (versionOf(database) !== 0) {
    requireSchema(database, file)
    return
  }
  database.exec('begin immediate')
  try {
    database.exec(`${SCHEMA}; pragma user_version = ${VERSION}`)
    database.exec('commit')
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw new Error(`could not create the tables of ${file}`, { cause: error })
  }
}

/** Begins an epoch: commits of earlier openings are refused from now on. @returns it */
export function takeLease(database: DatabaseSync): number {
  const row = database
    .prepare('insert into lease values (1, 1) on conflict do update set epoch = epoch + 1 returning epoch')
    .get()
  return Number(row?.['epoch'])
}
