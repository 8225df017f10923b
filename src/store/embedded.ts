// The embedded store: one SQLite file in one folder, held by one daemon.
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { computeKey } from '../model/compute.ts'
import {
  NO_READING_COUNTS,
  type ComputeAccount,
  type Ledger,
  type ProjectAccount,
  type ReadingCounts,
} from '../model/ledger.ts'
import type { Batch, Store } from '../model/ports.ts'
import { createLock } from './lock.ts'
import { migrate } from './schema.ts'

/** @throws when the folder cannot be written, is held by another daemon, or was written by a newer one */
export function openEmbeddedStore(folder: string): Store {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  const lock = createLock(join(folder, 'lock.sqlite'), folder)
  const file = join(folder, 'dormouse.sqlite')
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file)
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000')
    migrate(database, file)
  } catch (error) {
    database?.close()
    lock[Symbol.dispose]()
    throw error
  }
  const opened = database
  return {
    load: (account) => Promise.resolve(load(opened, account)),
    commit: (batch) => Promise.resolve(commit(opened, batch)),
    close: () => {
      opened.close()
      lock[Symbol.dispose]()
      return Promise.resolve()
    },
  }
}

/**
 * The ledgers of `accounts` as last committed in `folder`, without holding it.
 *
 * @returns undefined when no daemon ever kept anything there
 */
export function readEmbeddedStore(
  folder: string,
  accounts: readonly string[],
): readonly Ledger[] | undefined {
  const file = join(folder, 'dormouse.sqlite')
  if (!existsSync(file)) return undefined
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return accounts.map((account) => load(database, account))
  } finally {
    database.close()
  }
}

type AccountBody = { readonly readings: ReadingCounts }

function load(database: DatabaseSync, account: string): Ledger {
  const kept = database.prepare('select body from account_ledger where account = ?').get(account)
  const body = kept ? (JSON.parse(String(kept['body'])) as AccountBody) : undefined
  const projects = bodies<ProjectAccount>(database, 'project_account', account)
  const computes = bodies<ComputeAccount>(database, 'compute_account', account)
  return {
    account,
    computes: new Map(computes.map((compute) => [computeKey(compute.ref), compute])),
    projects: new Map(projects.map((project) => [project.project.projectId, project])),
    readings: { ...NO_READING_COUNTS, ...body?.readings },
  }
}

const bodies = <Body>(
  database: DatabaseSync,
  table: 'project_account' | 'compute_account',
  account: string,
): Body[] =>
  database
    .prepare(`select body from ${table} where account = ?`)
    .all(account)
    .map((row) => JSON.parse(String(row['body'])) as Body)

function commit(database: DatabaseSync, batch: Batch): void {
  database.exec('begin immediate')
  try {
    putAccounts(database, batch)
    putIntervals(database, batch.settled)
    database.exec('commit')
  } catch (error) {
    // SQLite rolls back by itself when the disk is full.
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

function putAccounts(database: DatabaseSync, { account, readings, projects, computes }: Batch): void {
  if (readings) {
    database
      .prepare('insert into account_ledger values (?, ?) on conflict do update set body = excluded.body')
      .run(account, JSON.stringify({ readings } satisfies AccountBody))
  }
  const putProject = database.prepare(
    'insert into project_account values (?, ?, ?) on conflict do update set body = excluded.body',
  )
  for (const project of projects) putProject.run(account, project.project.projectId, JSON.stringify(project))
  const putCompute = database.prepare(
    'insert into compute_account values (?, ?, ?, ?) on conflict do update set body = excluded.body',
  )
  for (const compute of computes) {
    putCompute.run(account, compute.ref.projectId, compute.ref.endpointId, JSON.stringify(compute))
  }
}

function putIntervals(database: DatabaseSync, settled: Batch['settled']): void {
  const putInterval = database.prepare(
    'insert into awake_interval values (?, ?, ?, ?, ?, ?) on conflict do nothing',
  )
  for (const { ref, interval, ...rest } of settled) {
    const from = Math.round(interval.from.likely)
    const to = Math.round(interval.to?.likely ?? interval.knownUntil)
    const text = JSON.stringify({ interval, ...rest })
    putInterval.run(ref.account, ref.projectId, ref.endpointId, from, to, text)
  }
}
