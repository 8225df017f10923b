// Writes one commit after the other, one transaction each.
import type { DatabaseSync } from 'node:sqlite'
import { isNotifiable } from '../../model/output/event-kinds.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { AccountStore, CommitOptions, Write, WriteOf } from '../../model/ports/store.ts'
import { targetKey, type TargetRef } from '../../model/service/compute.ts'
import { failed, ok } from '../../std/result.ts'
import { ADVICE_ROWS, GAP_ROWS, RECOMMENDATION_ROWS, SETTING_ROWS } from '../rows/advice-rows.ts'
import { NO_ENDPOINT, type RowCodec } from '../rows/codec.ts'
import { ACCOUNT_ROWS, BUDGET_ROWS, COMPUTE_ROWS, DELETED_COMPUTE_ROWS } from '../rows/entry-rows.ts'
import { JOB_STATE_ROWS, PROJECT_ROWS } from '../rows/entry-rows.ts'
import { createNumbering, DAY_ROWS, INTERVAL_ROWS, STATISTICS_ROWS } from '../rows/history-rows.ts'
import type { CompressedReport } from '../rows/outbox-rows.ts'
import { compressReport, DELIVERY_ROWS, EVENT_ROWS, REPORT_ROWS } from '../rows/outbox-rows.ts'
import { BRAKE_ROWS, FORCED_CHANGE_ROWS, PLACED_HOLD_ROWS } from '../rows/hold-rows.ts'
import { ROLLUP_ROWS } from '../rows/rollup-rows.ts'
import { ONE_COMPUTE } from './history.ts'
import { createChangePut, isConflict } from './journal.ts'
import { createRetention } from './retention.ts'

/** Durable when it resolves; when it rejects or refuses, nothing of the writes is stored. */
type Commit = (
  account: string,
  ...rest: Parameters<AccountStore['commit']>
) => ReturnType<AccountStore['commit']>

const LEASE = 'select epoch from lease'
/** What is stored of the defaults of a project belongs to a row without a body among those of computes. */
const ADD_PROJECT =
  'insert into compute (account, project_id, endpoint_id) values (?, ?, ?) on conflict do nothing'

export function createWriter(database: DatabaseSync, clock: Clock) {
  const write = createTransaction(database, clock)
  let last: Promise<unknown> = Promise.resolve()
  const commit: Commit = (...given) => {
    const done = last.then(() => write(...given))
    last = done.catch(() => undefined)
    return done
  }
  const lease = database.prepare(LEASE)
  return { commit, idle: () => last, epoch: () => lease.get()?.['epoch'] }
}

function createTransaction(database: DatabaseSync, clock: Clock): Commit {
  const openPut = createPut(database)
  const trim = createRetention(database)
  const lease = database.prepare(LEASE)
  const isFenced = ({ epoch }: CommitOptions) => epoch !== undefined && lease.get()?.['epoch'] !== epoch
  return async (account, writes, options = {}) => {
    await clock.yield()
    const rows = await rowsOf(writes)
    const put = openPut(account)
    database.exec('begin immediate')
    try {
      if (isFenced(options)) {
        database.exec('rollback')
        return failed({ kind: 'fenced' })
      }
      const written = new Set<number>()
      for (const row of rows) {
        const compute = put(row)
        if (compute !== undefined) written.add(compute)
        // oxlint-disable-next-line no-await-in-loop -- one row after the other, with pauses
        await clock.yield()
      }
      if (options.retainedAt !== undefined) trim(written, options.retainedAt)
      database.exec('commit')
      return ok(undefined)
    } catch (error) {
      // SQLite rolls back by itself when the disk is full
      if (database.isTransaction) database.exec('rollback')
      if (isConflict(error)) return failed({ kind: 'conflict' })
      throw error
    }
  }
}

type RowWrite = Exclude<Write, WriteOf<'report'>> | Readonly<{ kind: 'report'; report: CompressedReport }>

const isCompute = ({ kind }: RowWrite) => kind === 'compute'

/** Computes come before the history that refers to them. */
async function rowsOf(writes: readonly Write[]) {
  const rows = await Promise.all(
    writes.map(async (write) =>
      write.kind === 'report' ? { ...write, report: await compressReport(write.report) } : write,
    ),
  )
  return [...rows.filter(isCompute), ...rows.filter((row) => !isCompute(row))]
}

/** For the writes of one commit: writes one, and returns the id of the compute whose history it extends. */
function createPut(database: DatabaseSync) {
  const prepare = createPrepare(database)
  const put = {
    value: prepare(ACCOUNT_ROWS, 'account'),
    project: prepare(PROJECT_ROWS, 'account'),
    compute: prepare(COMPUTE_ROWS, 'account'),
    deletedCompute: prepare(DELETED_COMPUTE_ROWS, 'compute'),
    interval: prepare(INTERVAL_ROWS, 'compute', 'do nothing'),
    rollup: prepare(ROLLUP_ROWS, 'compute'),
    day: prepare(DAY_ROWS, 'compute'),
    statistics: prepare(STATISTICS_ROWS, 'compute'),
    gap: prepare(GAP_ROWS, 'compute'),
    setting: prepare(SETTING_ROWS, 'compute'),
    recommendation: prepare(RECOMMENDATION_ROWS, 'compute'),
    advice: prepare(ADVICE_ROWS, 'compute'),
    budget: prepare(BUDGET_ROWS, 'account'),
    event: prepare(EVENT_ROWS, 'account', 'do nothing'),
    report: prepare(REPORT_ROWS, 'account'),
    delivery: prepare(DELIVERY_ROWS, 'account'),
    jobState: prepare(JOB_STATE_ROWS, 'account'),
    placedHold: prepare(PLACED_HOLD_ROWS, 'account'),
    forcedChange: prepare(FORCED_CHANGE_ROWS, 'account'),
    brake: prepare(BRAKE_ROWS, 'account'),
    ...createChangePut(database),
  }
  // version 0 is the day in progress: a finished version replaces it
  const endDay = database.prepare('delete from day where compute = ? and date = ? and version = 0 and ? > 0')
  const endEntry = database.prepare('update compute set body = null where id = ?')
  const dropBudget = database.prepare('delete from budget where account = ? and name = ?')
  const dropJobState = database.prepare('delete from job_state where account = ? and job = ?')
  const dropForced = database.prepare('delete from forced_change where account = ? and change_id = ?')
  const findCompute = database.prepare(ONE_COMPUTE)
  const addProject = database.prepare(ADD_PROJECT)
  /** @throws for a compute without a stored entry: its history could not be found again */
  const idOf = (ref: TargetRef) => {
    const { account, projectId, endpointId = NO_ENDPOINT } = ref
    if (endpointId === NO_ENDPOINT) addProject.run(account, projectId, endpointId)
    const row = findCompute.get(account, projectId, endpointId)
    if (!row) throw new Error(`no entry is stored of ${targetKey(ref)}`)
    return Number(row['id'])
  }
  return (account: string) => {
    const numbered = createNumbering()
    const extend = <Value>(putRow: PutRow<Value>, ref: TargetRef, value: Value) => {
      const compute = idOf({ ...ref, account })
      putRow(compute, value)
      return compute
    }
    return (write: RowWrite): number | undefined => {
      switch (write.kind) {
        case 'compute':
          return put.compute(account, write.entry)
        case 'deleted-compute': {
          const { compute } = write
          endEntry.run(extend(put.deletedCompute, compute.ref, compute))
          return undefined
        }
        case 'project':
          return put.project(account, write.entry)
        case 'interval':
          return extend(put.interval, write.interval.ref, numbered(write.interval))
        case 'rollup':
          return extend(put.rollup, write.rollup.ref, write.rollup)
        case 'day': {
          const { ref, date, version } = write.day
          endDay.run(extend(put.day, ref, write.day), date, version)
          return undefined
        }
        case 'statistics':
          return extend(put.statistics, write.statistics.ref, write.statistics)
        case 'gap':
          return extend(put.gap, write.gap.ref, write.gap)
        case 'setting':
          return extend(put.setting, write.setting.ref, write.setting)
        case 'recommendation':
          return extend(put.recommendation, write.recommendation.ref, write.recommendation)
        case 'advice':
          return extend(put.advice, write.advice.ref, write.advice)
        case 'budget':
          if (write.state) put.budget(account, { name: write.name, value: write.state })
          else dropBudget.run(account, write.name)
          return undefined
        case 'counters':
          return put.value(account, { name: 'counters', value: write.counters })
        case 'reading-counts':
          return put.value(account, { name: 'readings', value: write.counts })
        case 'event':
          if (isNotifiable(write.event)) put.event(account, write.event)
          return undefined
        case 'report':
          return put.report(account, write.report)
        case 'delivery':
          return put.delivery(account, write.delivery)
        case 'change':
          return put.change(account, write)
        case 'change-event':
          return put.changeEvent(account, write.event)
        case 'change-tally':
          return put.changeTally(account, write.added)
        case 'saved-part':
          return put.savedPart(account, write.part)
        case 'placed-hold':
          return put.placedHold(account, write.hold)
        case 'forced-change':
          if (write.forced) put.forcedChange(account, write.forced)
          else dropForced.run(account, write.changeId)
          return undefined
        case 'brake':
          return put.brake(account, write.brake)
        case 'job-state':
          if (write.state === undefined) dropJobState.run(account, write.job)
          else put.jobState(account, { name: write.job, value: write.state })
          return undefined
      }
    }
  }
}

/** The owner: an account, or the id of a compute. */
type PutRow<Value> = (owner: string | number, value: Value) => undefined

const createPrepare =
  (database: DatabaseSync) =>
  <Value>(
    { table, key, columns, toRow }: RowCodec<Value>,
    owner: 'account' | 'compute',
    onConflict = `do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  ): PutRow<Value> => {
    const names = [owner, ...key, ...columns]
    const statement = database.prepare(
      `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) on conflict ${onConflict}`,
    )
    return (ownerId, value) => {
      statement.run(ownerId, ...toRow(value))
    }
  }
