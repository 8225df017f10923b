// Reads a ledger in pages: parsing a large one at once would block the event loop.
import type { DatabaseSync } from 'node:sqlite'
import { internEntry } from '../../model/ledger/interning.ts'
import { computeKey } from '../../model/service/compute.ts'
import {
  NO_READING_COUNTS,
  type ComputeEntry,
  type DeletedCompute,
  type Ledger,
} from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import { orderedMap } from '../../std/ordered-map.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { NO_ACCOUNT_COUNTERS } from '../../model/ledger/counters.ts'
import { bodyOf, type AccountValues } from '../rows/entry-rows.ts'

/** Rows, some hundred kB: a larger page makes the start hardly faster. */
const PAGE = 64

const PROJECTS = `
select project_id, '' as endpoint_id, body from project
where account = ? and project_id > ? and ? = '' order by project_id limit ${PAGE}
`
const COMPUTES = `
select project_id, endpoint_id, body from compute
where account = ? and (project_id, endpoint_id) > (?, ?) and body is not null
order by project_id, endpoint_id limit ${PAGE}
`
const DELETED_COMPUTES = `
select project_id, endpoint_id, deleted_compute.body from compute join deleted_compute on compute = id
where account = ? and (project_id, endpoint_id) > (?, ?) order by project_id, endpoint_id limit ${PAGE}
`

export async function loadLedger(database: DatabaseSync, account: string, clock: Clock): Promise<Ledger> {
  const named = (table: string) =>
    database.prepare(`select name, body from ${table} where account = ?`).all(account)
  const values = Object.fromEntries(
    named('account_value').map((row) => [row['name'], bodyOf(row, account, String(row['name']))]),
  ) as Partial<AccountValues>
  let projects = orderedMap<ProjectEntry>([])
  let computes = orderedMap<ComputeEntry>([])
  let deleted = orderedMap<DeletedCompute>([])
  for await (const project of bodies<ProjectEntry>(database.prepare(PROJECTS), account, clock))
    projects = projects.with(project.project.projectId, project)
  for await (const compute of bodies<ComputeEntry>(database.prepare(COMPUTES), account, clock))
    computes = computes.with(computeKey(compute.ref), internEntry(compute))
  for await (const compute of bodies<DeletedCompute>(database.prepare(DELETED_COMPUTES), account, clock))
    deleted = deleted.with(computeKey(compute.ref), compute)
  const budgets = Object.fromEntries(
    named('budget').map((row) => [
      row['name'],
      bodyOf(row, 'budget', String(row['name'])) as Ledger['budgets'][string],
    ]),
  )
  return {
    account,
    computes,
    deleted,
    projects,
    readings: { ...NO_READING_COUNTS, ...values.readings },
    budgets,
    counters: { ...NO_ACCOUNT_COUNTERS, ...values.counters },
  }
}

/** @throws with the key of a row whose JSON is damaged */
async function* bodies<Body>(page: ReturnType<DatabaseSync['prepare']>, account: string, clock: Clock) {
  let last: readonly [project: string, endpoint: string] = ['', '']
  for (;;) {
    const rows = page.all(account, ...last)
    for (const row of rows) {
      last = [String(row['project_id']), String(row['endpoint_id'])]
      yield bodyOf(row, ...last) as Body
      // oxlint-disable-next-line no-await-in-loop -- one row after the other, with pauses
      await clock.yield()
    }
    if (rows.length < PAGE) return
  }
}
