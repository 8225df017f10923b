import { existsSync } from 'node:fs'
import { ensureSetting } from './identity.ts'
import { ensureCertificate } from './certificate.ts'
import { createClock } from '../clock.ts'
import { findBinaries } from '../compute/binaries.ts'
import { isPartial, removeEntries } from '../compute/files.ts'
import { SERVERS, stopOrphans } from '../compute/orphans.ts'
import { postgresUser } from '../compute/owner.ts'
import type { Cluster } from '../compute/server.ts'
import { makeTemplate } from '../compute/template.ts'
import { type Paths, holdFolder, prepareFolder } from './folder.ts'
import { DOMAIN } from '../api/wire/records.ts'
import type { Log } from '../log.ts'
import type { LocalOptions } from '../options.ts'
import { POOLERS } from '../pooler/pooler.ts'
import { createRandom } from '../random.ts'
import { type ProjectStore, createProjectStore } from '../state/projects.ts'
import type { Store } from '../state/store.ts'

/** Locks the folder, finds Postgres, stops orphans, makes the template once. */
export async function prepare(options: LocalOptions, stack: AsyncDisposableStack) {
  const clock = createClock()
  const random = createRandom(options.seed)
  const log: Log = options.log ?? (() => undefined)
  const owner = postgresUser()
  const paths = prepareFolder(options.folder, owner)
  const store = holdFolder(paths.folder)
  stack.defer(() => store.close())
  // oxlint-disable-next-line node/no-process-env -- PG_BIN is a convention of the machine, not configuration of a run
  const chosen = process.env['PG_BIN']
  const binaries = findBinaries({ chosen, copyTo: paths.binaries, owner })
  requireSameMajor(store, binaries.major, paths)
  for (const parent of [paths.clusters, paths.branches, paths.poolers]) {
    const orphans = await stopOrphans(parent, parent === paths.poolers ? POOLERS : SERVERS, clock)
    for (const orphan of orphans) log({ kind: 'orphan-stopped', ...orphan })
    removeEntries(parent, parent === paths.poolers ? undefined : isPartial)
  }
  const suffix = options.hostSuffix ?? DOMAIN
  const certificate = await ensureCertificate({ folder: paths.tls, suffix, owner, clock })
  const password = ensureSetting(store, 'superuser-password', () => random.text(32))
  const cluster: Cluster = { binaries, owner, clock, password, certificate }
  await makeTemplate(paths.template, cluster)
  const projects = createProjectStore(store)
  removeDeletedData(paths.branches, projects)
  return { options, paths, store, projects, cluster, suffix, clock, random, log }
}

/** What exists before a process starts. `suffix` of host names. */
export type Prepared = Readonly<Awaited<ReturnType<typeof prepare>>>

/** Finishes deletions that were acknowledged. */
function removeDeletedData(folder: string, projects: ProjectStore): void {
  const items = projects.load().flatMap(({ branches, computes }) => [...branches, ...computes])
  const ids = new Set(items.map(({ id }) => id))
  removeEntries(folder, (name) => /^(?:br|ep)-/.test(name) && !ids.has(name))
}

/** Throws for data of another major version, which Postgres cannot use. */
function requireSameMajor(store: Store, major: number, { template }: Paths): void {
  const previous = existsSync(template) ? store.setting('postgres-major') : undefined
  store.setSetting('postgres-major', previous ?? String(major))
  if (previous === undefined || Number(previous) === major) return
  throw new Error(
    `this data folder was made with Postgres ${previous}, but Postgres ${major} was found: ` +
      'set PG_BIN to the programs of the former, or choose another folder',
  )
}
