// The generated history of a folder: created at its first start, before any process runs, and stored like real history.
import { firstCatalogue } from './default-catalogue.ts'
import type { Prepared } from './prepare.ts'
import { type GeneratedProject, generateProjects } from '../history/generate.ts'
import { isSeeded, monitoringPassword } from './seed-projects.ts'
import type { Catalogue } from '../control/project.ts'
import type { StoredHistory } from '../log.ts'
import type { HistoryRequest } from '../options.ts'
import type { ProjectStore } from '../state/projects.ts'
import type { Store } from '../state/store.ts'

const SETTING = 'past'

/** The generated history of a folder; undefined when it has none. */
export function loadHistoryInfo(store: Store): StoredHistory | undefined {
  const stored = store.setting(SETTING)
  return stored === undefined ? undefined : (JSON.parse(stored) as StoredHistory)
}

/** Generates the history at the first start of a folder, in one transaction. A used folder is left as it is. */
export function seedHistory(request: HistoryRequest, prepared: Prepared, plan: 'free' | 'paid'): void {
  const { store, projects, clock, random, log } = prepared
  if (isSeeded(store) || projects.load().length > 0)
    return log({ kind: 'past-refused', folder: prepared.paths.folder, kept: loadHistoryInfo(store) })
  const to = clock.now()
  const from = to - 1000 * request.span
  const seed = request.seed ?? Math.floor(random.uniform() * 2 ** 31)
  const password = monitoringPassword(store, random)
  const catalogueOf = (now: number): Catalogue =>
    firstCatalogue({ monitoringPassword: password, random, now })
  const [first, last] = [new Date(from).toISOString(), new Date(to).toISOString()]
  const past: StoredHistory = { from: first, to: last, projects: request.projects, seed }
  const generated = generateProjects({ seed, projects: request.projects, from, to, plan, catalogueOf })
  let operations = 0
  store.commit(() => {
    for (const project of generated) {
      saveGenerated(projects, project)
      operations += project.operations.length
    }
    store.setSetting(SETTING, JSON.stringify(past))
  })
  log({ kind: 'past-made', past, operations, seconds: (clock.now() - to) / 1000 })
}

function saveGenerated(store: ProjectStore, { project, operations, uses }: GeneratedProject): void {
  store.saveProject(project)
  for (const operation of operations) store.saveOperation(operation)
  for (const { endpointId, wakes, intervals } of uses) {
    for (const wake of wakes) store.saveWake(project.id, endpointId, wake)
    for (const interval of intervals) store.saveInterval(project.id, endpointId, interval)
  }
}
