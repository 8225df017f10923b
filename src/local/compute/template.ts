import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../proxy/listen.ts'
import { SUPERUSER, writeCommonConfiguration } from './configuration.ts'
import { withSession } from './connect.ts'
import { makeWhole, writeSecret } from './files.ts'
import { runCommand } from './process.ts'
import { CREATE_CACHE_OBJECTS, CREATE_DATABASE, CREATE_ROLES } from './schema.ts'
import { type Cluster, startServer } from './server.ts'

/** The cluster that every branch is copied from, made once in about 0.8 s. */
export const makeTemplate = (template: string, cluster: Cluster): Promise<void> =>
  makeWhole(template, async (folder) => {
    await initialise(folder, cluster)
    const port = await freePort()
    const server = await startServer({ ...cluster, dataFolder: folder, port })
    try {
      // template1, so that later databases have them
      await withSession({ ...cluster, port, database: 'template1' }, (client) =>
        client.query(`${CREATE_ROLES}${CREATE_CACHE_OBJECTS}`),
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
