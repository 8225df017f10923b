// Writes batches one after the other, one transaction each.
import type { DatabaseSync } from 'node:sqlite'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { Batch } from '../../model/ports/store.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { dayValues, END_DAY, PUT_DAY } from '../rows/day-rows.ts'
import {
  intervalValues,
  numberedIntervals,
  PUT_INTERVAL,
  type NumberedInterval,
} from '../rows/interval-rows.ts'
import type { StoredAccount } from './load-ledger.ts'
import { createOutboxWriter, outboxRows, type OutboxRow } from './outbox.ts'
import { compressReports, type WithCompressedReports } from '../rows/compressed-reports.ts'
import { createYielder } from './yield.ts'
import { PUT_ROLLUP, rollupValues } from '../rows/rollup-rows.ts'
import { createRetention } from './retention.ts'

export type Writer = {
  /** Durable when it resolves; when it rejects, nothing of `batch` is stored. */
  readonly commit: (batch: Batch) => Promise<void>
  /** Resolves when no write is in progress. */
  readonly idle: () => Promise<void>
}

export function createWriter(database: DatabaseSync, clock: Clock): Writer {
  const write = createWrite(database, clock)
  let last: Promise<void> = Promise.resolve()
  return {
    commit: (batch) => {
      const done = last.then(() => write(batch))
      last = done.catch(() => undefined)
      return done
    },
    idle: () => last,
  }
}

function createWrite(database: DatabaseSync, clock: Clock): (batch: Batch) => Promise<void> {
  const put = createPut(database)
  const trim = createRetention(database)
  // shared by all batches: many small ones in a row block the event loop too
  const pause = createYielder(clock)
  return async (batch) => {
    await pause()
    const whole = await compressReports(batch)
    database.exec('begin immediate')
    try {
      const written = new Set<number>()
      for (const row of rowsOf(whole)) {
        const compute = put(row)
        if (compute !== undefined) written.add(compute)
        // oxlint-disable-next-line no-await-in-loop -- one row after the other, with pauses, is the point
        await pause()
      }
      trim(written, clock.now())
      database.exec('commit')
    } catch (error) {
      // SQLite rolls back by itself when the disk is full.
      if (database.isTransaction) database.exec('rollback')
      throw error
    }
  }
}

type Row =
  | {
      readonly kind: 'account'
      readonly account: string
      readonly key: keyof StoredAccount
      readonly value: StoredAccount[keyof StoredAccount]
    }
  | { readonly kind: 'project'; readonly account: string; readonly project: Batch['projects'][number] }
  | { readonly kind: 'compute'; readonly compute: Batch['computes'][number] }
  | { readonly kind: 'interval'; readonly interval: NumberedInterval }
  | { readonly kind: 'rollup'; readonly rollup: Batch['rollups'][number] }
  | { readonly kind: 'day'; readonly day: Batch['days'][number] }
  | {
      readonly kind: 'budget'
      readonly account: string
      readonly name: string
      readonly state: Batch['budgets'][string]
    }
  | { readonly kind: 'outbox'; readonly outbox: OutboxRow }

/** Rows of a batch, computes before the history that refers to them. */
function* rowsOf({ account, readings, counters, ...batch }: WithCompressedReports<Batch>): Generator<Row> {
  if (readings) yield { kind: 'account', account, key: 'readings', value: readings }
  if (counters) yield { kind: 'account', account, key: 'counters', value: counters }
  for (const project of batch.projects) yield { kind: 'project', account, project }
  for (const compute of batch.computes) yield { kind: 'compute', compute }
  for (const interval of numberedIntervals(batch.settled)) yield { kind: 'interval', interval }
  for (const rollup of batch.rollups) yield { kind: 'rollup', rollup }
  for (const day of batch.days) yield { kind: 'day', day }
  for (const [name, state] of Object.entries(batch.budgets)) yield { kind: 'budget', account, name, state }
  for (const outbox of outboxRows({ account, ...batch })) yield { kind: 'outbox', outbox }
}

/** @returns a function that writes a row and returns the id of the compute whose history it extends */
function createPut(database: DatabaseSync): (row: Row) => number | undefined {
  const putAccount = database.prepare(
    `insert into account values (?1, json_object(?2, json(?3)))
     on conflict do update set body = json_set(body, '$.' || ?2, json(?3))`,
  )
  const putProject = database.prepare(
    'insert into project values (?, ?, ?) on conflict do update set body = excluded.body',
  )
  const putCompute = database.prepare(
    `insert into compute (account, project_id, endpoint_id, body) values (?, ?, ?, ?)
     on conflict (account, project_id, endpoint_id) do update set body = excluded.body`,
  )
  const putInterval = database.prepare(PUT_INTERVAL)
  const putRollup = database.prepare(PUT_ROLLUP)
  const putDay = database.prepare(PUT_DAY)
  const endDay = database.prepare(END_DAY)
  const putBudget = database.prepare(
    'insert into budget values (?, ?, ?) on conflict do update set body = excluded.body',
  )
  const dropBudget = database.prepare('delete from budget where account = ? and name = ?')
  const putOutbox = createOutboxWriter(database)
  const findCompute = database.prepare(
    'select id from compute where account = ? and project_id = ? and endpoint_id = ?',
  )
  /** @throws for a compute without a stored entry: its history could not be found again */
  const idOf = (ref: ComputeRef): number => {
    const row = findCompute.get(ref.account, ref.projectId, ref.endpointId)
    if (!row) throw new Error(`no entry is stored of ${computeKey(ref)}`)
    return Number(row['id'])
  }
  return (row) => {
    switch (row.kind) {
      case 'account':
        putAccount.run(row.account, row.key, JSON.stringify(row.value))
        return undefined
      case 'project':
        putProject.run(row.account, row.project.project.projectId, JSON.stringify(row.project))
        return undefined
      case 'compute': {
        const { account, projectId, endpointId } = row.compute.ref
        putCompute.run(account, projectId, endpointId, JSON.stringify(row.compute))
        return undefined
      }
      case 'interval': {
        const compute = idOf(row.interval.settled.ref)
        putInterval.run(...intervalValues(compute, row.interval))
        return compute
      }
      case 'rollup': {
        const compute = idOf(row.rollup.ref)
        putRollup.run(...rollupValues(compute, row.rollup))
        return compute
      }
      case 'day': {
        const compute = idOf(row.day.ref)
        putDay.run(...dayValues(compute, row.day))
        endDay.run(compute, row.day.date, row.day.version)
        return undefined
      }
      case 'budget':
        if (row.state) putBudget.run(row.account, row.name, JSON.stringify(row.state))
        else dropBudget.run(row.account, row.name)
        return undefined
      case 'outbox':
        putOutbox(row.outbox)
        return undefined
    }
  }
}
