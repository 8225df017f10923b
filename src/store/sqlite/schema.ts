// The tables of the embedded store. Every key begins with the account, or with a compute of one.
import type { DatabaseSync } from 'node:sqlite'
import { compressSync } from '../rows/compressed-reports.ts'

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
  // History names a compute by a number: three bytes a row in place of fifty.
  `
  create table compute (
    id integer primary key,
    account text not null,
    project_id text not null,
    endpoint_id text not null,
    body text not null,
    unique (account, project_id, endpoint_id)
  ) strict;
  insert into compute (account, project_id, endpoint_id, body)
    select account, project_id, endpoint_id, json_patch(
      json_object('foldedAt', body -> '$.seenAt', 'evidence', json('{"held":[],"measured":[]}'), 'settled', json('{"held":{}}'),
        'totals', json('{"held":{}}'), 'rollups', json('{}'), 'unsettled', json('[]'), 'days', json('[]'), 'reading',
        json('{"failures":0,"use":{"arrivals":0,"activeTime":0},"reserved":0,"lags":[]}')),
      json_set(json_remove(body, '$.reading.last'), '$.evidence.footprints', (
        select json_group_array(json_patch(
          json_object('counts', json('true'), 'hiddenFrom', value -> '$.connectedAt'), value
        )) from json_each(body, '$.evidence.footprints')
      ))
    ) from compute_account;
  drop table compute_account;
  alter table awake_interval rename to awake_interval_2;
  create table awake_interval (
    compute integer not null references compute,
    from_ms real not null,
    from_earliest_ms real not null,
    from_latest_ms real not null,
    from_source text not null,
    to_ms real not null,
    to_earliest_ms real not null,
    to_latest_ms real not null,
    to_source text not null,
    restart integer not null,
    sums text not null,
    primary key (compute, from_ms)
  ) strict, without rowid;
  insert or ignore into awake_interval
    select compute.id,
      body ->> '$.interval.from.likely', body ->> '$.interval.from.earliest',
      body ->> '$.interval.from.latest', body ->> '$.interval.from.source',
      body ->> '$.interval.to.likely', body ->> '$.interval.to.earliest',
      body ->> '$.interval.to.latest', body ->> '$.interval.to.source',
      body ->> '$.interval.restart', json_set(json_remove(body, '$.interval'), '$.held', json('{}'))
    from (select account, project_id, endpoint_id, body from awake_interval_2) as old
      join (select id, account, project_id, endpoint_id from compute) as compute
        using (account, project_id, endpoint_id)
    where body ->> '$.interval.to' is not null;
  drop table awake_interval_2;
  create table day (
    compute integer not null references compute,
    date text not null,
    version integer not null,
    from_ms integer not null,
    to_ms integer not null,
    sums text not null,
    primary key (compute, date, version)
  ) strict, without rowid;
  create table rollup (
    compute integer not null references compute,
    length integer not null,
    from_ms integer not null,
    init_ms integer not null,
    active_ms integer not null,
    idle_ms integer not null,
    readings integer not null,
    size_count integer,
    size_sum real,
    size_min real,
    size_max real,
    size_source text,
    connections_count integer,
    connections_sum integer,
    connections_max integer,
    active_sum integer,
    active_max integer,
    idle_sum integer,
    idle_max integer,
    idle_in_transaction_sum integer,
    idle_in_transaction_max integer,
    other_sum integer,
    other_max integer,
    cache_hits integer,
    cache_misses integer,
    cache_over_ms integer,
    cache_used integer,
    working_set integer,
    arrivals integer,
    statement_ms integer,
    use_over_ms integer,
    longest_transaction real,
    culprits text,
    primary key (compute, length, from_ms)
  ) strict, without rowid;
  `,
  `
  update compute
    set body = json_set(json_remove(body, '$.reading.activeLooks'), '$.reading.gaps', json('[]'))
    where body -> '$.reading.gaps' is null;
  `,
  `
  create table budget (
    account text not null,
    name text not null,
    body text not null,
    primary key (account, name)
  ) strict;
  `,
  // Instants are written in whole seconds: several intervals may begin, and even end, at the same.
  `
  alter table awake_interval rename to awake_interval_5;
  create table awake_interval (
    compute integer not null references compute,
    from_ms real not null,
    from_earliest_ms real not null,
    from_latest_ms real not null,
    from_source text not null,
    to_ms real not null,
    to_earliest_ms real not null,
    to_latest_ms real not null,
    to_source text not null,
    nth integer not null,
    restart integer not null,
    sums text not null,
    primary key (compute, from_ms, to_ms, nth)
  ) strict, without rowid;
  insert into awake_interval
    select compute, from_ms, from_earliest_ms, from_latest_ms, from_source,
      to_ms, to_earliest_ms, to_latest_ms, to_source, 0, restart, sums
    from awake_interval_5;
  drop table awake_interval_5;
  `,
  // Numbers of events are never used again, so that who has read up to one knows what is new.
  `
  create table event (
    id integer primary key autoincrement,
    account text not null,
    at_ms real not null,
    topic text not null,
    key text not null,
    body text not null,
    unique (account, key)
  ) strict;
  create index event_at on event (at_ms);
  create table delivery (
    account text not null,
    sink text not null,
    kind text not null,
    item text not null,
    topic text not null,
    made_ms real not null,
    state text not null,
    next_ms real not null,
    body text not null,
    primary key (account, sink, kind, item)
  ) strict, without rowid;
  create index delivery_waiting on delivery (account, sink, next_ms) where state = 'waiting';
  create index delivery_topic on delivery (account, sink, topic, made_ms);
  create index delivery_made on delivery (made_ms);
  create table job_memory (
    account text not null,
    job text not null,
    body text not null,
    primary key (account, job)
  ) strict;
  `,
  `
  create table report (
    account text not null,
    slot text not null,
    made_ms real not null,
    body text not null,
    primary key (account, slot)
  ) strict;
  `,
  // A list of reports is read without the reports, and a report is the text that was made, not a text within a text.
  `
  alter table report add column team text;
  alter table report add column head text not null default '{}';
  update report set head = json_remove(body, '$.json'), body = body ->> '$.json';
  `,
  // Reports are kept for years; what lists and trimming read lies before the text.
  `
  alter table report rename to report_9;
  create table report (
    account text not null,
    slot text not null,
    made_ms real not null,
    team text,
    head text not null,
    body blob not null,
    primary key (account, slot)
  ) strict;
  insert into report select account, slot, made_ms, team, head, packed(body) from report_9;
  drop table report_9;
  create index report_made on report (made_ms);
  create index report_by_hand on report (made_ms) where substr(slot, 9, 8) = '-manual-';
  `,
]

const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare('pragma user_version').get()?.['user_version'] ?? 0)

const isNewer = (file: string, found: number, known: number): Error =>
  new Error(
    `${file} has schema version ${found}, this Dormouse knows ${known}: run the newer Dormouse, or choose another store.folder`,
  )

/** @throws when the file is not of this program's version, which only a daemon may change */
export function requireSchema(database: DatabaseSync, file: string): void {
  const found = versionOf(database)
  if (found > MIGRATIONS.length) throw isNewer(file, found, MIGRATIONS.length)
  if (found < MIGRATIONS.length)
    throw new Error(
      `${file} has schema version ${found}, this Dormouse needs ${MIGRATIONS.length}: start this version's daemon once, it brings it up to date`,
    )
}

/** Brings the schema to this program's version, in one transaction. @throws when the file was written by a newer one */
export function migrate(database: DatabaseSync, file: string, version = MIGRATIONS.length): void {
  const found = versionOf(database)
  if (found > version) throw isNewer(file, found, version)
  database.function('packed', { deterministic: true }, (text) => compressSync(String(text)))
  database.exec('begin immediate')
  try {
    for (const statements of MIGRATIONS.slice(found, version)) database.exec(statements)
    database.exec(`pragma user_version = ${version}`)
    database.exec('commit')
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw new Error(`could not bring ${file} to schema version ${version}`, { cause: error })
  }
}
