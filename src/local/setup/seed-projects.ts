import { ensureSetting } from './identity.ts'
import { ID_LENGTH, PASSWORD_LENGTH, firstCatalogue } from './default-catalogue.ts'
import type { Api } from '../api/context.ts'
import { DEFAULT_CONFIG } from '../control/config.ts'
import type { Refusal, Settings } from '../control/events.ts'
import type { ComputeConfig } from '../control/project.ts'
import { newProject } from '../control/requests/project-requests.ts'
import { configRefusal } from '../control/requests/validation.ts'
import type { SeedProject } from '../options.ts'
import type { Random } from '../random.ts'
import type { Store } from '../state/store.ts'

const SETTING = 'projects-made'

/** Whether the first start of the folder is complete. */
export const isSeeded = (store: Store): boolean => store.setting(SETTING) !== undefined

/** The password of the reader for monitoring, the same in all projects of a folder, so that one configuration reads all. */
export const monitoringPassword = (store: Store, random: Random): string =>
  ensureSetting(store, 'monitoring-password', () => random.text(PASSWORD_LENGTH))

type SeedParts = Pick<Api, 'plane' | 'store' | 'clock' | 'random'>

/** @throws when a project has a size or a delay that the service does not allow */
export function requireSeeds(seeds: readonly SeedProject[], settings: Settings): void {
  for (const seed of seeds) {
    const refusal = configRefusal({ ...DEFAULT_CONFIG, ...configOf(seed) }, settings)
    if (refusal) throw seedError(seed, refusal)
  }
}

/**
 * Creates the projects of the first start, each with its default branch and a primary compute (S-02). The next start
 * completes an interrupted one.
 *
 * @throws when a project has a size or a delay that the service does not allow
 */
export function seedProjects(seeds: readonly SeedProject[], parts: SeedParts): void {
  if (isSeeded(parts.store)) return
  for (const seed of seeds) {
    const fits = ({ name }: { readonly name: string }): boolean => name === seed.name
    if (parts.plane.page({ after: undefined, limit: 1, fits }).length === 0) addProject(seed, parts)
  }
  parts.store.setSetting(SETTING, 'yes')
}

function addProject(seed: SeedProject, { plane, store, clock, random }: SeedParts): void {
  const now = clock.now()
  const branchId = `br-${random.text(ID_LENGTH)}`
  const catalogue = firstCatalogue({ monitoringPassword: monitoringPassword(store, random), random, now })
  const project = newProject({
    id: `local-${random.text(ID_LENGTH)}`,
    name: seed.name,
    branch: { id: branchId, name: 'main', catalogue },
    now,
  })
  const endpointId = `ep-${random.text(ID_LENGTH)}`
  const answer = plane.createProject(project, {
    kind: 'create',
    endpointId,
    branchId,
    config: configOf(seed),
  })
  if (!answer.ok) throw seedError(seed, answer.refusal)
}

const configOf = ({ cu, suspendTimeoutSeconds }: SeedProject): Partial<ComputeConfig> => ({
  ...(cu !== undefined && { minCu: cu, maxCu: cu }),
  ...(suspendTimeoutSeconds !== undefined && { suspendTimeout: suspendTimeoutSeconds }),
})

const seedError = ({ name }: SeedProject, { message }: Refusal): Error =>
  new Error(`project "${name}" cannot be made: ${message}`)
