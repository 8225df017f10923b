import { execFile } from 'node:child_process'
import { chownSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Certificate } from '../setup/certificate.ts'
import type { Clock } from '../clock.ts'
import type { Binaries } from './binaries.ts'
import { SUPERUSER, writeCommonConfiguration } from './configuration.ts'
import { runStatements } from './connect.ts'
import type { SystemUser } from './owner.ts'
import { freePort } from './ports.ts'
import { CREATE_CACHE_OBJECTS, CREATE_DATABASE, CREATE_ROLES } from './schema.ts'
import { startServer } from './server.ts'

export type Cluster = {
  readonly binaries: Binaries
  readonly owner: SystemUser | undefined
  readonly clock: Clock
  /** All servers show it to their clients. */
  readonly certificate: Certificate
  /** Password of the service's own superuser, the same in every cluster of this folder. */
  readonly password: string
}

const run = promisify(execFile)

/**
 * Makes the cluster every branch is copied from, once per data folder: about 0.8 s, then nothing.
 *
 * The folder appears under its name only when it is complete, so a kill at any instant leaves no half of it.
 */
export async function makeTemplate(template: string, cluster: Cluster): Promise<void> {
  if (existsSync(template)) return
  const partial = partialOf(template)
  await initialise(partial, cluster)
  const { password } = cluster
  const server = await startServer({ ...cluster, dataFolder: partial, port: await freePort() })
  try {
    const { port } = server
    // in template1, so that every database made later has them too
    await runStatements({ port, password, database: 'template1' }, [CREATE_ROLES, CREATE_CACHE_OBJECTS])
    await runStatements({ port, password, database: 'postgres' }, [CREATE_DATABASE])
  } finally {
    await server.stop(0)
  }
  renameSync(partial, template)
}

async function initialise(folder: string, { binaries, owner, password }: Cluster): Promise<void> {
  const passwordFile = `${folder}.password.partial`
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  if (owner) chownSync(passwordFile, owner.uid, owner.gid)
  try {
    // --no-sync: a power cut in this second leaves at worst a folder to delete; running servers keep fsync on
    const options = ['--auth=scram-sha-256', '--locale=C', '--encoding=UTF8', '--no-sync', '--wal-segsize=4']
    await run(
      join(binaries.folder, 'initdb'),
      ['-D', folder, '-U', SUPERUSER, `--pwfile=${passwordFile}`, ...options],
      {
        env: { PATH: '/usr/bin:/bin', TZ: 'UTC' },
        cwd: '/',
        ...(owner && { uid: owner.uid, gid: owner.gid }),
      },
    )
  } catch (error) {
    throw new Error(`initdb could not make a database cluster in ${folder}: ${wordsOf(error)}`, {
      cause: error,
    })
  } finally {
    rmSync(passwordFile, { force: true })
  }
  writeCommonConfiguration(folder)
}

/** What a program that failed wrote to its error output. */
const wordsOf = (error: unknown): string =>
  error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)

/** Named after this process: a program a killed service left behind may still write to a name of its own. */
export const partialOf = (folder: string): string => `${folder}.${process.pid}.partial`

/** Removes what killed services did not complete. */
export function removePartials(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (name.endsWith('.partial')) rmSync(join(parent, name), { recursive: true, force: true })
  }
}

/** Makes the data folder of a branch out of the template, unless it exists. */
export async function copyTemplate(template: string, dataFolder: string): Promise<void> {
  if (existsSync(dataFolder)) return
  const partial = partialOf(dataFolder)
  await copyFolder(template, partial)
  renameSync(partial, dataFolder)
}

/** Copies a folder with owners and times. Shares blocks where the file system can. */
export async function copyFolder(from: string, to: string): Promise<void> {
  const shares = process.platform === 'linux' ? ['--reflink=auto'] : []
  await run('cp', ['-a', ...shares, from, to])
}

/** Makes every counter begin at 0 with the next start (S-113), whichever Postgres wrote the files. */
export function forgetStatistics(dataFolder: string): void {
  const folder = join(dataFolder, 'pg_stat')
  for (const name of readdirSync(folder))
    if (name.endsWith('.stat')) rmSync(join(folder, name), { force: true })
}
