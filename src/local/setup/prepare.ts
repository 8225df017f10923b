import { existsSync, rmSync } from 'node:fs'
import { ensureSetting } from './identity.ts'
import { ensureCertificate } from './certificate.ts'
import { createClock } from '../clock.ts'
import { findBinaries } from '../compute/binaries.ts'
import { isPartial, removeEntries, makeWhole, writeSecret } from '../compute/files.ts'
import { SERVERS, stopOrphans } from '../compute/orphans.ts'
import { postgresUser } from '../compute/owner.ts'
import { type Cluster, startServer } from '../compute/server.ts'
import { type Paths, holdFolder, prepareFolder } from './folder.ts'
import { DOMAIN } from '../api/wire/records.ts'
import type { Log } from '../log.ts'
import type { LocalOptions } from '../options.ts'
import { POOLERS } from '../pooler/pooler.ts'
import { createRandom } from '../random.ts'
import { type ProjectStore, createProjectStore } from '../state/projects.ts'
import type { Store } from '../state/store.ts'
import { join } from 'node:path'
import { freePort } from '../proxy/listen.ts'
import { SUPERUSER, writeCommonConfiguration } from '../compute/configuration.ts'
import { withSession } from '../compute/connect.ts'
import { runCommand } from '../compute/process.ts'
import { CREATE_CACHE_OBJECTS, CREATE_DATABASE, createRoles } from '../compute/schema.ts'

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

/** The cluster that every branch is copied from, made once in about 0.8 s. */
export const makeTemplate = (template: string, cluster: Cluster): Promise<void> =>
  makeWhole(template, async (folder) => {
    await initialise(folder, cluster)
    const port = await freePort()
    const server = await startServer({ ...cluster, dataFolder: folder, port })
    try {
      // template1, so that later databases have them
      await withSession({ ...cluster, port, database: 'template1' }, (client) =>
        client.query(`${createRoles(cluster.binaries.major)}${CREATE_CACHE_OBJECTS}`),
      )
      await withSession({ ...cluster, port }, (client) => client.query(CREATE_DATABASE))
    } finally {
      await server.stop(0)
    }
  })

async function initialise(folder: string, { binaries, owner, password }: Cluster): Promise<void> {
  const passwordFile = `${folder}.password.partial`
  writeSecret(passwordFile, `${password}\n`, owner)
  // a power cut now leaves a folder to delete; running servers keep fsync on
  const options = ['--auth=scram-sha-256', '--locale=C', '--encoding=UTF8', '--no-sync', '--wal-segsize=4']
  const args = ['-D', folder, '-U', SUPERUSER, `--pwfile=${passwordFile}`, ...options]
  const failure = await runCommand(join(binaries.folder, 'initdb'), args, owner)
  rmSync(passwordFile, { force: true })
  if (failure !== undefined)
    throw new Error(`initdb could not make a database cluster in ${folder}: ${failure}`)
  writeCommonConfiguration(folder)
}
