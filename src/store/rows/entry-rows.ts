// Rows of the ledger: one a compute, project and budget, and one for each of the account's own values. Bodies are JSON.
import type { AccountCounters } from '../../model/ledger/counters.ts'
import type { ComputeEntry, DeletedCompute, ReadingCounts } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Row, RowCodec } from './codec.ts'

export const COMPUTE_ROWS: RowCodec<ComputeEntry> = {
  table: 'compute',
  key: ['project_id', 'endpoint_id'],
  columns: ['body'],
  toRow: (entry) => [entry.ref.projectId, entry.ref.endpointId, JSON.stringify(entry)],
}

/** Owned by the row of the compute. */
export const DELETED_COMPUTE_ROWS: RowCodec<DeletedCompute> = {
  table: 'deleted_compute',
  key: [],
  columns: ['body'],
  toRow: (compute) => [JSON.stringify(compute)],
}

export const PROJECT_ROWS: RowCodec<ProjectEntry> = {
  table: 'project',
  key: ['project_id'],
  columns: ['body'],
  toRow: (entry) => [entry.project.projectId, JSON.stringify(entry)],
}

type Named = Readonly<{ name: string; value: unknown }>

/** Values under a name, which `key` holds. */
const namedRows = (table: string, key: string): RowCodec<Named> => ({
  table,
  key: [key],
  columns: ['body'],
  toRow: ({ name, value }) => [name, JSON.stringify(value)],
})

export const BUDGET_ROWS = namedRows('budget', 'name')
export const ACCOUNT_ROWS = namedRows('account_value', 'name')
export const JOB_STATE_ROWS = namedRows('job_state', 'job')

/** Besides projects, computes and budgets, by name. */
export type AccountValues = Readonly<{ readings: ReadingCounts; counters: AccountCounters }>

/** @throws with the columns of `key` when the JSON is damaged */
export function bodyOf(row: Row, ...key: readonly string[]): unknown {
  try {
    return JSON.parse(String(row['body']))
  } catch (cause) {
    throw new Error(`the stored entry of ${key.filter(Boolean).join('/')} cannot be read`, { cause })
  }
}
