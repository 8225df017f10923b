// The embedded store: one SQLite file in one folder, held by one daemon.
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { computeKey, type ComputeRef, type Project } from '../model/compute.ts'
import {
  NO_READING_COUNTS,
  type ComputeAccount,
  type Ledger,
  type ReadingCounts,
  type SettledInterval,
} from '../model/ledger.ts'
import type { Store } from '../model/ports.ts'
import type { Instant } from '../model/units.ts'
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
    commit: (ledger, changed, settled) => Promise.resolve(commit(opened, ledger, { changed, settled })),
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

type AccountBody = {
  readonly projects: readonly Project[]
  readonly readings: ReadingCounts
  readonly listedAt: readonly (readonly [string, Instant])[]
}

function load(database: DatabaseSync, account: string): Ledger {
  const kept = database.prepare('select body from account_ledger where account = ?').get(account)
  const body = kept ? (JSON.parse(String(kept['body'])) as AccountBody) : undefined
  const rows = database.prepare('select body from compute_account where account = ?').all(account)
  const computes = rows.map((row) => JSON.parse(String(row['body'])) as ComputeAccount)
  return {
    account,
    computes: new Map(computes.map((compute) => [computeKey(compute.ref), compute])),
    projects: new Map((body?.projects ?? []).map((project) => [project.projectId, project])),
    readings: { ...NO_READING_COUNTS, ...body?.readings },
    listedAt: new Map(body?.listedAt),
  }
}

function commit(
  database: DatabaseSync,
  ledger: Ledger,
  {
    changed,
    settled,
  }: { readonly changed: readonly ComputeRef[]; readonly settled: readonly SettledInterval[] },
): void {
  const body: AccountBody = {
    projects: [...ledger.projects.values()],
    readings: ledger.readings,
    listedAt: [...ledger.listedAt],
  }
  database.exec('begin immediate')
  try {
    database
      .prepare('insert into account_ledger values (?, ?) on conflict do update set body = excluded.body')
      .run(ledger.account, JSON.stringify(body))
    const putCompute = database.prepare(
      'insert into compute_account values (?, ?, ?, ?) on conflict do update set body = excluded.body',
    )
    for (const ref of changed) {
      const text = JSON.stringify(ledger.computes.get(computeKey(ref)))
      putCompute.run(ref.account, ref.projectId, ref.endpointId, text)
    }
    const putInterval = database.prepare(
      'insert into awake_interval values (?, ?, ?, ?, ?, ?) on conflict do nothing',
    )
    for (const { ref, interval, ...rest } of settled) {
      const from = Math.round(interval.from.likely)
      const to = Math.round(interval.to?.likely ?? interval.knownUntil)
      putInterval.run(
        ref.account,
        ref.projectId,
        ref.endpointId,
        from,
        to,
        JSON.stringify({ interval, ...rest }),
      )
    }
    database.exec('commit')
  } catch (error) {
    // SQLite rolls back by itself when the disk is full.
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}
