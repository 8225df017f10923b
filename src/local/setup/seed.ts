// What the first start of a folder makes: projects, and a history, stored like a real one.
import { ensureSetting } from './identity.ts'
import type { Prepared } from './prepare.ts'
import { ID_LENGTH, PASSWORD_LENGTH, firstCatalogue } from './default-catalogue.ts'
import type { Api } from '../api/context.ts'
import { DEFAULT_CONFIG } from '../control/config.ts'
import type { Refusal, Settings } from '../control/events.ts'
import type { ComputeConfig } from '../control/project.ts'
import { newProject } from '../control/requests/project-requests.ts'
import type { PlanAndPreset } from '../control/sizing/plans.ts'
import { configRefusal } from '../control/requests/validation.ts'
import { type GeneratedProject, generateProjects } from '../history/generate.ts'
import type { StoredHistory } from '../log.ts'
import type { HistoryRequest, SeedProject } from '../options.ts'
import type { Random } from '../random.ts'
import type { ProjectStore } from '../state/projects.ts'
import type { Store } from '../state/store.ts'

/** Settings: the first start is complete; the generated history. */
const SEEDED = 'projects-made'
const HISTORY = 'past'

const isSeeded = (store: Store) => store.setting(SEEDED) !== undefined

/** Password for all projects of a folder, so that one configuration reads all. */
export const monitoringPassword = (store: Store, random: Random): string =>
  ensureSetting(store, 'monitoring-password', () => random.text(PASSWORD_LENGTH))

type SeedParts = Pick<Api, 'plane' | 'store' | 'clock' | 'random'>

/** @throws `InvalidSeed` for a size or delay that the service does not allow */
export function requireSeeds(seeds: readonly SeedProject[], settings: Settings): void {
  for (const seed of seeds) {
    const refusal = configRefusal({ ...DEFAULT_CONFIG, ...configOf(seed) }, settings)
    if (refusal) throw new InvalidSeed(seed, refusal)
  }
}

/** Seeds at the first start, completing an interrupted one; each with a default branch and a primary (S-02). */
export function seedProjects(seeds: readonly SeedProject[], parts: SeedParts): void {
  if (isSeeded(parts.store)) return
  for (const seed of seeds) {
    const fits = ({ name }: { readonly name: string }) => name === seed.name
    if (parts.plane.page({ after: undefined, limit: 1, fits }).length === 0) addProject(seed, parts)
  }
  parts.store.setSetting(SEEDED, 'yes')
}

function addProject(seed: SeedProject, { plane, store, clock, random }: SeedParts): void {
  const now = clock.now()
  const branchId = `br-${random.text(ID_LENGTH)}`
  const catalogue = firstCatalogue({ monitoringPassword: monitoringPassword(store, random), random, now })
  const [id, endpointId] = [`local-${random.text(ID_LENGTH)}`, `ep-${random.text(ID_LENGTH)}`]
  const branch = { id: branchId, name: 'main', catalogue }
  const project = newProject({ id, name: seed.name, branch, now })
  const config = configOf(seed)
  const answer = plane.createProject(project, { kind: 'create', endpointId, branchId, config })
  if (!answer.ok) throw new InvalidSeed(seed, answer.refusal)
}

const configOf = ({ cu, suspendTimeoutSeconds }: SeedProject): Partial<ComputeConfig> => ({
  ...(cu !== undefined && { minCu: cu, maxCu: cu }),
  ...(suspendTimeoutSeconds !== undefined && { suspendTimeout: suspendTimeoutSeconds }),
})

/** A project that the service refuses to make. */
export class InvalidSeed extends Error {
  readonly refusal: Refusal

  constructor({ name }: SeedProject, refusal: Refusal) {
    super(`project "${name}" cannot be made: ${refusal.message}`)
    this.refusal = refusal
  }
}

export function loadHistoryInfo(store: Store): StoredHistory | undefined {
  const stored = store.setting(HISTORY)
  return stored === undefined ? undefined : (JSON.parse(stored) as StoredHistory)
}

/** Generates at the first start, in one transaction. A used folder stays as it is. */
export function seedHistory(request: HistoryRequest, prepared: Prepared, subscription: PlanAndPreset): void {
  const { store, projects, clock, random, log } = prepared
  if (isSeeded(store) || projects.load().length > 0)
    return log({ kind: 'past-refused', folder: prepared.paths.folder, kept: loadHistoryInfo(store) })
  const to = clock.now()
  const from = to - 1000 * request.span
  const seed = request.seed ?? Math.floor(random.uniform() * 2 ** 31)
  const common = { monitoringPassword: monitoringPassword(store, random), random }
  const catalogueOf = (now: number) => firstCatalogue({ ...common, now })
  const [first, last] = [new Date(from).toISOString(), new Date(to).toISOString()]
  const past: StoredHistory = { from: first, to: last, projects: request.projects, seed }
  const generated = generateProjects({
    seed,
    projects: request.projects,
    ...(request.chosen && { chosen: request.chosen }),
    ...(prepared.options.allowShortDelays && { delayBelowMinimum: 'accepted' as const }),
    from,
    to,
    ...subscription,
    catalogueOf,
  })
  let operations = 0
  store.commit(() => {
    for (const project of generated) {
      saveGenerated(projects, project)
      operations += project.operations.length
    }
    store.setSetting(HISTORY, JSON.stringify(past))
  })
  log({ kind: 'past-made', past, operations, seconds: (clock.now() - to) / 1000 })
}

function saveGenerated(store: ProjectStore, { project, operations, uses }: GeneratedProject): void {
  store.saveProject(project)
  for (const operation of operations) store.saveOperation(operation)
  for (const { endpointId, wakes, intervals, stops, mutations } of uses) {
    for (const wake of wakes) store.saveWake(project.id, endpointId, wake)
    for (const interval of intervals) store.saveInterval(project.id, endpointId, interval)
    for (const stop of stops) store.saveStop(project.id, endpointId, stop)
    for (const mutation of mutations) store.saveMutation(project.id, endpointId, mutation)
  }
}
