import type { Interval, Wake } from '../control/events.ts'
import type { UseRecord, UsageWindow } from '../control/usage/usage.ts'
import type { Operation, Project, WakeCause } from '../control/project.ts'
import { MAX_RECORDS, type Mutation, type Stop } from '../control/records.ts'
import type { Store } from './store.ts'

export type ProjectStore = ReturnType<typeof createProjectStore>

export const createProjectStore = ({ sql, commit }: Store) => ({
  /** Projects in order of id. */
  load: () => sql.all`select state from projects order by id`.map((row) => parse(row) as Project),
  saveProject: (project: Project) =>
    void sql.run`insert into projects (id, state) values (${project.id}, ${JSON.stringify(project)})
      on conflict (id) do update set state = excluded.state`,
  /** The usage of its computes stays. */
  deleteProject: (projectId: string) => {
    void sql.run`delete from projects where id = ${projectId}`
    void sql.run`delete from operations where project_id = ${projectId}`
  },
  saveOperation: (operation: Operation) =>
    void sql.run`insert into operations (id, project_id, state)
      values (${operation.id}, ${operation.projectId}, ${JSON.stringify(operation)})
      on conflict (id) do update set state = excluded.state`,
  saveInterval: (projectId: string, endpointId: string, { from, to, cu, branchId }: Interval) =>
    void sql.run`insert into intervals values (${projectId}, ${endpointId}, ${branchId}, ${from}, ${to}, ${cu})`,
  saveWake: (projectId: string, endpointId: string, { at, cause }: Wake) =>
    void sql.run`insert into wakes values (${projectId}, ${endpointId}, ${at}, ${JSON.stringify(cause)})`,
  /** Only the newest `MAX_RECORDS` of a compute stay. */
  saveStop: (projectId: string, endpointId: string, stop: Stop) => {
    void sql.run`insert into stops values (${projectId}, ${endpointId}, ${stop.at}, ${JSON.stringify(stop)})`
    void sql.run`delete from stops where rowid in
      (select rowid from stops where endpoint_id = ${endpointId} order by rowid desc limit -1 offset ${MAX_RECORDS})`
  },
  /** Only the newest `MAX_RECORDS` of a compute stay. */
  saveMutation: (projectId: string, endpointId: string, mutation: Mutation) => {
    void sql.run`insert into mutations values (${projectId}, ${endpointId}, ${mutation.at}, ${JSON.stringify(mutation)})`
    void sql.run`delete from mutations where rowid in
      (select rowid from mutations where endpoint_id = ${endpointId} order by rowid desc limit -1 offset ${MAX_RECORDS})`
  },
  operation: (projectId: string, operationId: string) => {
    const row = sql.get`select state from operations where project_id = ${projectId} and id = ${operationId}`
    return row && (parse(row) as Operation)
  },
  /** Newest first, after the id `before`; undefined when that is unknown. */
  operations: (projectId: string, limit: number, before: string | undefined) => {
    const last = sql.get`select number from operations where project_id = ${projectId} and id = ${before ?? null}`
    if (before !== undefined && !last) return undefined
    const end = last?.['number'] ?? Number.MAX_SAFE_INTEGER
    return sql.all`select state from operations where project_id = ${projectId} and number < ${end}
      order by number desc limit ${limit}`.map((row) => parse(row) as Operation)
  },
  /**
   * Use of every compute ever started, in order of the first start, then of those that were only changed; without intervals in
   * progress.
   */
  uses: () => readUses(sql),
  /** Ended ones of a project that overlap the window, in order of their start. */
  intervals: (projectId: string, { from, to }: UsageWindow) =>
    sql.all`select * from intervals where project_id = ${projectId} and to_ms > ${from} and from_ms < ${to}
      order by from_ms, rowid`.map(intervalOf),
  /** Catalogue version of a branch's data. */
  applied: (branchId: string) =>
    sql.get`select version from applied where branch_id = ${branchId}`?.['version']?.toString(),
  setApplied: (branchId: string, version: string | undefined) =>
    void commit(() =>
      version === undefined
        ? sql.run`delete from applied where branch_id = ${branchId}`
        : sql.run`insert or replace into applied values (${branchId}, ${version})`,
    ),
  port: (endpointId: string) => {
    const row = sql.get`select port from ports where endpoint_id = ${endpointId}`
    return row && Number(row['port'])
  },
  setPort: (endpointId: string, port: number) =>
    void commit(() => sql.run`insert or replace into ports values (${endpointId}, ${port})`),
})

/** Trusts the JSON: only this file writes it. */
const parse = (row: Record<string, unknown>): unknown => JSON.parse(String(row['state']))

type StoredUse = Readonly<{
  projectId: string
  wakes: Wake[]
  intervals: Interval[]
  stops: Stop[]
  mutations: Mutation[]
}>

function readUses(sql: Store['sql']): UseRecord[] {
  const uses = new Map<string, StoredUse>()
  const useOf = (row: Record<string, unknown>) => {
    const endpointId = String(row['endpoint_id'])
    const projectId = String(row['project_id'])
    const use = uses.get(endpointId) ?? { projectId, wakes: [], intervals: [], stops: [], mutations: [] }
    uses.set(endpointId, use)
    return use
  }
  for (const row of sql.all`select * from wakes order by at_ms, rowid`)
    useOf(row).wakes.push({ at: Number(row['at_ms']), cause: JSON.parse(String(row['cause'])) as WakeCause })
  for (const row of sql.all`select * from intervals order by from_ms, rowid`)
    useOf(row).intervals.push(intervalOf(row))
  for (const row of sql.all`select * from stops order by at_ms, rowid`)
    useOf(row).stops.push(parse(row) as Stop)
  for (const row of sql.all`select * from mutations order by at_ms, rowid`)
    useOf(row).mutations.push(parse(row) as Mutation)
  return [...uses].map(([endpointId, use]) => ({ endpointId, ...use, open: undefined }))
}

const intervalOf = (row: Record<string, unknown>): Interval => ({
  from: Number(row['from_ms']),
  to: Number(row['to_ms']),
  cu: Number(row['cu']),
  branchId: String(row['branch_id']),
})
