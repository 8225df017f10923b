// The database cluster that every branch starts from, and copies of data folders.
import { execFile } from 'node:child_process'
import { chownSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Certificate } from '../setup/certificate.ts'
import type { Clock } from '../clock.ts'
import type { Binaries } from './binaries.ts'
import { SUPERUSER, writeCommonConfiguration } from './configuration.ts'
import { withSession } from './connect.ts'
import type { SystemUser } from './owner.ts'
import { freePort } from './ports.ts'
import { runCommand } from './process.ts'
import { CREATE_CACHE_OBJECTS, CREATE_DATABASE, CREATE_ROLES } from './schema.ts'
import { startServer } from './server.ts'

export type Cluster = {
  readonly binaries: Binaries
  readonly owner: SystemUser | undefined
  readonly clock: Clock
  /** Certificate of every server. */
  readonly certificate: Certificate
  /** Password of the service's superuser, the same in every cluster of this folder. */
  readonly password: string
}

/**
 * Makes the cluster that every branch is copied from, in about 0.8 s, unless it exists. The folder appears under its
 * name only when it is complete, so that a kill at any instant leaves no incomplete template.
 */
export async function makeTemplate(template: string, cluster: Cluster): Promise<void> {
  if (existsSync(template)) return
  const partial = partialOf(template)
  await initialise(partial, cluster)
  const port = await freePort()
  const server = await startServer({ ...cluster, dataFolder: partial, port })
  const address = { port, password: cluster.password }
  try {
    // in template1, so that every database made later has them too
    await withSession({ ...address, database: 'template1' }, (client) =>
      client.query(`${CREATE_ROLES}${CREATE_CACHE_OBJECTS}`),
    )
    await withSession({ ...address, database: 'postgres' }, (client) => client.query(CREATE_DATABASE))
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
    const args = ['-D', folder, '-U', SUPERUSER, `--pwfile=${passwordFile}`, ...options]
    await runCommand(join(binaries.folder, 'initdb'), args, owner)
  } catch (error) {
    const output = error instanceof Error ? error.message : String(error)
    throw new Error(`initdb could not make a database cluster in ${folder}: ${output}`, { cause: error })
  } finally {
    rmSync(passwordFile, { force: true })
  }
  writeCommonConfiguration(folder)
}

/** Path of an incomplete folder. Named after this process: programs that outlived a killed service write to other names. */
export const partialOf = (folder: string): string => `${folder}.${process.pid}.partial`

/** Removes folders that killed services left incomplete. */
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
  await promisify(execFile)('cp', ['-a', ...shares, from, to])
}

/** Makes every counter of the server begin at 0 with the next start (S-113), whichever Postgres wrote the files. */
export function removeStatistics(dataFolder: string): void {
  const folder = join(dataFolder, 'pg_stat')
  for (const name of readdirSync(folder))
    if (name.endsWith('.stat')) rmSync(join(folder, name), { force: true })
}
