import type { Interval, Wake } from '../control/events.ts'
import type { UseRecord, UsageWindow } from '../control/usage/usage.ts'
import type { Operation, Project, WakeCause } from '../control/project.ts'
import type { Store } from './store.ts'

/** Stored projects, their operations, and the usage of their computes. */
export type ProjectStore = {
  /** All projects in order of id. */
  load(): Project[]
  saveProject(project: Project): void
  /** Removes a project and its operations. The usage of its computes stays. */
  deleteProject(projectId: string): void
  saveOperation(operation: Operation): void
  saveInterval(projectId: string, endpointId: string, interval: Interval): void
  saveWake(projectId: string, endpointId: string, wake: Wake): void
  operation(projectId: string, operationId: string): Operation | undefined
  /** A page of operations, newest first, from the one after the id `before`. Undefined when `before` is unknown. */
  operations(projectId: string, limit: number, before: string | undefined): Operation[] | undefined
  /** Usage of every compute that was ever started, in order of the first start, without the intervals in progress. */
  uses(): UseRecord[]
  /** Ended intervals of all computes of a project that overlap the window, in order of their start. */
  intervals(projectId: string, window: UsageWindow): Interval[]
  /** Version of the roles and databases that the data folder of a branch has. */
  applied(branchId: string): string | undefined
  setApplied(branchId: string, version: string | undefined): void
  port(endpointId: string): number | undefined
  setPort(endpointId: string, port: number): void
}

export function createProjectStore(store: Store): ProjectStore {
  const { database } = store
  const upsertProject = database.prepare(
    'insert into projects (id, state) values (?, ?) on conflict (id) do update set state = excluded.state',
  )
  const upsertOperation = database.prepare(
    'insert into operations (id, project_id, state) values (?, ?, ?) on conflict (id) do update set state = excluded.state',
  )
  const insertInterval = database.prepare('insert into intervals values (?, ?, ?, ?, ?, ?)')
  const insertWake = database.prepare('insert into wakes values (?, ?, ?, ?)')
  const dropProject = database.prepare('delete from projects where id = ?')
  const dropOperations = database.prepare('delete from operations where project_id = ?')
  const upsertPort = database.prepare(
    'insert into ports values (?, ?) on conflict (endpoint_id) do update set port = excluded.port',
  )
  const numberOf = database.prepare('select number from operations where project_id = ? and id = ?')
  const page = database.prepare(
    'select state from operations where project_id = ? and number < ? order by number desc limit ?',
  )
  const intervalsWithin = database.prepare(
    'select * from intervals where project_id = ? and to_ms > ? and from_ms < ? order by from_ms, rowid',
  )
  const oneOperation = database.prepare('select state from operations where project_id = ? and id = ?')
  const appliedOf = database.prepare('select version from applied where branch_id = ?')
  const upsertApplied = database.prepare(
    'insert into applied values (?, ?) on conflict (branch_id) do update set version = excluded.version',
  )
  const dropApplied = database.prepare('delete from applied where branch_id = ?')
  const portOf = database.prepare('select port from ports where endpoint_id = ?')
  return {
    load: () =>
      database
        .prepare('select state from projects order by id')
        .all()
        .map((row) => parse(row) as Project),
    saveProject: (project) => void upsertProject.run(project.id, JSON.stringify(project)),
    deleteProject: (projectId) => {
      dropProject.run(projectId)
      dropOperations.run(projectId)
    },
    saveOperation: (operation) =>
      void upsertOperation.run(operation.id, operation.projectId, JSON.stringify(operation)),
    saveInterval: (projectId, endpointId, { from, to, cu, branchId }) =>
      void insertInterval.run(projectId, endpointId, branchId, from, to, cu),
    saveWake: (projectId, endpointId, { at, cause }) =>
      void insertWake.run(projectId, endpointId, at, JSON.stringify(cause)),
    operation: (projectId, operationId) => {
      const row = oneOperation.get(projectId, operationId)
      return row && (parse(row) as Operation)
    },
    operations: (projectId, limit, before) => {
      const end = before === undefined ? Number.MAX_SAFE_INTEGER : numberOf.get(projectId, before)?.['number']
      if (end === undefined) return undefined
      return page.all(projectId, end, limit).map((row) => parse(row) as Operation)
    },
    uses: () => readUses(database),
    intervals: (projectId, { from, to }) => intervalsWithin.all(projectId, from, to).map(intervalOf),
    applied: (branchId) => {
      const row = appliedOf.get(branchId)
      return row && String(row['version'])
    },
    setApplied: (branchId, version) =>
      store.commit(() => {
        if (version === undefined) dropApplied.run(branchId)
        else upsertApplied.run(branchId, version)
      }),
    port: (endpointId) => {
      const row = portOf.get(endpointId)
      return row && Number(row['port'])
    },
    setPort: (endpointId, port) => store.commit(() => void upsertPort.run(endpointId, port)),
  }
}

/** The JSON of a row. It is not validated: only this file writes it. */
const parse = (row: Record<string, unknown>): unknown => JSON.parse(String(row['state']))

function readUses(database: Store['database']): UseRecord[] {
  const uses = new Map<string, { projectId: string; wakes: Wake[]; intervals: Interval[] }>()
  const useOf = (row: Record<string, unknown>): { wakes: Wake[]; intervals: Interval[] } => {
    const endpointId = String(row['endpoint_id'])
    const use = uses.get(endpointId) ?? { projectId: String(row['project_id']), wakes: [], intervals: [] }
    uses.set(endpointId, use)
    return use
  }
  for (const row of database.prepare('select * from wakes order by at_ms, rowid').all())
    useOf(row).wakes.push({ at: Number(row['at_ms']), cause: JSON.parse(String(row['cause'])) as WakeCause })
  for (const row of database.prepare('select * from intervals order by from_ms, rowid').all())
    useOf(row).intervals.push(intervalOf(row))
  return [...uses].map(([endpointId, use]) => ({ endpointId, ...use, open: undefined }))
}

const intervalOf = (row: Record<string, unknown>): Interval => ({
  from: Number(row['from_ms']),
  to: Number(row['to_ms']),
  cu: Number(row['cu']),
  branchId: String(row['branch_id']),
})
