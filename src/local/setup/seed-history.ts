// The past of a folder: made at its first start, before anything runs, and kept as what really happened is.
import { firstCatalogue } from './default-catalogue.ts'
import type { Prepared } from './prepare.ts'
import { type GeneratedProject, generateProjects } from '../history/generate.ts'
import { isSeeded, monitoringPassword } from './seed-projects.ts'
import type { StoredHistory } from '../log.ts'
import type { HistoryRequest } from '../options.ts'
import type { ProjectStore } from '../state/projects.ts'
import type { Store } from '../state/store.ts'

const SETTING = 'past'

/** The past this folder was made with; undefined when it has none. */
export function loadHistoryInfo(store: Store): StoredHistory | undefined {
  const kept = store.setting(SETTING)
  return kept === undefined ? undefined : (JSON.parse(kept) as StoredHistory)
}

/** Makes the past when this is the first start of the folder, all of it or nothing; else says that it is too late. */
export function seedHistory(wish: HistoryRequest, ground: Prepared, plan: 'free' | 'paid'): void {
  const { store, projects, clock, random, log } = ground
  if (isSeeded(store) || projects.load().length > 0)
    return log({ kind: 'past-refused', folder: ground.paths.folder, kept: loadHistoryInfo(store) })
  const to = clock.now()
  const from = to - 1000 * wish.span
  const seed = wish.seed ?? Math.floor(random.uniform() * 2 ** 31)
  const password = monitoringPassword(store, random)
  const catalogueOf = (now: number): ReturnType<typeof firstCatalogue> =>
    firstCatalogue({ monitoringPassword: password, random, now })
  const past: StoredHistory = {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    projects: wish.projects,
    seed,
  }
  let operations = 0
  store.commit(() => {
    for (const lived of generateProjects({ seed, projects: wish.projects, from, to, plan, catalogueOf })) {
      write(projects, lived)
      operations += lived.operations.length
    }
    store.setSetting(SETTING, JSON.stringify(past))
  })
  log({ kind: 'past-made', past, operations, seconds: (clock.now() - to) / 1000 })
}

function write(store: ProjectStore, { project, operations, uses }: GeneratedProject): void {
  store.saveProject(project)
  for (const operation of operations) store.saveOperation(operation)
  for (const { endpointId, wakes, intervals } of uses) {
    for (const wake of wakes) store.saveWake(project.id, endpointId, wake)
    for (const interval of intervals) store.saveInterval(project.id, endpointId, interval)
  }
}
