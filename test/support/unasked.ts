import type { Service } from '../../src/model/ports/service.ts'

const never = (): never => {
  throw new Error('nobody asks for this')
}

/** A service of which a test gives what is asked for. */
export const UNASKED: Service = {
  listProjects: never,
  listProjectsPage: never,
  listComputes: never,
  getCompute: never,
  listOperations: never,
  listOperationsPage: never,
  getProjectDetail: never,
  listConsumption: never,
  getConnectionUri: never,
  createCompute: never,
  updateCompute: never,
  updateDefaults: never,
  deleteCompute: never,
  restartCompute: never,
  startCompute: never,
  suspendCompute: never,
  listKeys: never,
  createKey: never,
  revokeKey: never,
  at: never,
}
