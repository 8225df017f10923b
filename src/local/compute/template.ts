// The database cluster that every branch starts from, and copies of data folders.
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../proxy/listen.ts'
import { SUPERUSER, writeCommonConfiguration } from './configuration.ts'
import { withSession } from './connect.ts'
import { copyFolder, partialOf, removeEntries, writeSecret } from './files.ts'
import { runCommand } from './process.ts'
import { CREATE_CACHE_OBJECTS, CREATE_DATABASE, CREATE_ROLES } from './schema.ts'
import { type Cluster, startServer } from './server.ts'

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
  try {
    // in template1, so that every database made later has them too
    await withSession({ ...cluster, port, database: 'template1' }, (client) =>
      client.query(`${CREATE_ROLES}${CREATE_CACHE_OBJECTS}`),
    )
    await withSession({ ...cluster, port }, (client) => client.query(CREATE_DATABASE))
  } finally {
    await server.stop(0)
  }
  renameSync(partial, template)
}

async function initialise(folder: string, { binaries, owner, password }: Cluster): Promise<void> {
  const passwordFile = `${folder}.password.partial`
  writeSecret(passwordFile, `${password}\n`, owner)
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

/** Makes the data folder of a branch out of the template, unless it exists. */
export async function copyTemplate(template: string, dataFolder: string): Promise<void> {
  if (existsSync(dataFolder)) return
  const partial = partialOf(dataFolder)
  await copyFolder(template, partial)
  renameSync(partial, dataFolder)
}

/** Makes every counter of the server begin at 0 with the next start (S-113), whichever Postgres wrote the files. */
export const removeStatistics = (dataFolder: string): void =>
  removeEntries(join(dataFolder, 'pg_stat'), (name) => name.endsWith('.stat'))
