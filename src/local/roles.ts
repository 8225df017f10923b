import type { ProjectStore } from './state/projects.ts'

/**
 * SQL that gives the roles of a fresh branch their passwords, which differ from project to project; undefined when it
 * ran before. Names and passwords are our own, of [a-z0-9_].
 */
export function preparationOf(
  branchId: string,
  store: ProjectStore,
): { readonly sql: string; readonly done: () => void } | undefined {
  if (store.isPrepared(branchId)) return undefined
  const project = store.load().find(({ branches }) => branches.some(({ id }) => id === branchId))
  if (!project) return undefined
  const statements = [...store.roles(project.id)].map(
    ([name, password]) => `alter role ${name} password '${password}'`,
  )
  return { sql: statements.join('; '), done: () => store.setPrepared(branchId) }
}
