import { keptSetting } from './account.ts'
import type { Project } from './control/project.ts'
import type { Engine } from './engine.ts'
import type { Clock } from './clock.ts'
import type { Random } from './random.ts'
import type { ProjectStore } from './state/projects.ts'
import type { Store } from './state/store.ts'

/** A project to make at the first start of a folder. */
export type SeedProject = {
  readonly name: string
  /** Fixed size, default 0.25. */
  readonly cu?: number
  /** As on the wire: 0 the default of 300 s, -1 never. */
  readonly suspendTimeoutSeconds?: number
}

const MONITOR = 'dormouse'
/** Roles of every project: the owner of the database, and a reader for monitoring. */
export const ROLES = ['app_owner', MONITOR] as const

/** Lengths of the random parts of ids and of passwords, in characters of [a-z0-9]. */
const ID_LENGTH = 12
const PASSWORD_LENGTH = 24

const DONE = 'projects-made'

/** The password of the reader for monitoring, one for all projects of a folder: a monitor has one configuration. */
export const monitoringPassword = (store: Store, random: Random): string =>
  keptSetting(store, 'monitoring-password', () => random.text(PASSWORD_LENGTH))

export type SeedParts = {
  readonly engine: Engine
  readonly store: Store
  readonly projects: ProjectStore
  readonly clock: Clock
  readonly random: Random
}

/**
 * Makes the projects of the first start, each with its default branch and a primary compute (S-02). What an
 * interrupted first start left out is made by the next; afterwards nothing is added.
 *
 * @throws when a project asks for a size or a delay the service does not have
 */
export function makeProjects(seeds: readonly SeedProject[], parts: SeedParts): void {
  if (parts.store.setting(DONE) !== undefined) return
  for (const seed of seeds) {
    const known = parts.engine.projects().find(({ name }) => name === seed.name)
    const project = known ?? addProject(seed.name, parts)
    if (project.computes.length === 0) addCompute(project, seed, parts)
  }
  parts.store.setSetting(DONE, 'yes')
}

function addProject(name: string, { engine, store, projects, clock, random }: SeedParts): Project {
  const now = clock.now()
  const project: Project = {
    id: `local-${random.text(ID_LENGTH)}`,
    name,
    createdAt: now,
    updatedAt: now,
    branches: [{ id: `br-${random.text(ID_LENGTH)}`, name: 'main', createdAt: now }],
    computes: [],
    queue: [],
    spent: { awakeMs: 0, cuMs: 0 },
  }
  store.commit(() => {
    for (const role of ROLES) {
      const shared = role === MONITOR ? monitoringPassword(store, random) : undefined
      projects.setRole(project.id, role, shared ?? random.text(PASSWORD_LENGTH))
    }
    engine.addProject(project)
  })
  return project
}

function addCompute(project: Project, seed: SeedProject, { engine, random }: SeedParts): void {
  const answer = engine.request(project.id, {
    kind: 'create',
    endpointId: `ep-${random.text(ID_LENGTH)}`,
    branchId: project.branches[0]?.id ?? '',
    config: {
      ...(seed.cu !== undefined && { minCu: seed.cu, maxCu: seed.cu }),
      ...(seed.suspendTimeoutSeconds !== undefined && { suspendTimeout: seed.suspendTimeoutSeconds }),
    },
  })
  if (answer?.ok === false)
    throw new Error(`project "${seed.name}" cannot be made: ${answer.refusal.message}`)
}
