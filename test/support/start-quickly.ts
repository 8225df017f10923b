// A local service whose first start makes no database cluster: it gets a copy of one that the first test of the run has made.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyFolder } from '../../src/local/compute/files.ts'
import { postgresUser } from '../../src/local/compute/owner.ts'
import { holdFolder, prepareFolder } from '../../src/local/setup/folder.ts'
import { prepare } from '../../src/local/setup/prepare.ts'
import { startLocal, type Local, type LocalOptions } from '../../src/local/start.ts'

/** What a cluster and the state beside it have in common. */
const SETTINGS = ['superuser-password', 'postgres-major'] as const

/** Variable with the folder that the tests of a run share. */
export const CLUSTER_FOLDER = 'DORMOUSE_TEST_CLUSTER'

/** As `startLocal`. With `PG_BIN` the cluster may be of another version: it is made as ever, as in a benchmark, which shares no folder. */
export async function startQuickly(options: LocalOptions): Promise<Local> {
  const isFirst = !existsSync(join(options.folder, 'state.sqlite'))
  const shared = process.env['PG_BIN'] === undefined ? process.env[CLUSTER_FOLDER] : undefined
  if (isFirst && shared !== undefined) await placeCluster(options, await sharedCluster(shared))
  return startLocal(options)
}

async function placeCluster({ folder, hostSuffix }: LocalOptions, shared: string): Promise<void> {
  const paths = prepareFolder(folder, postgresUser())
  await copyFolder(join(shared, 'clusters', 'template'), paths.template)
  if (hostSuffix === undefined) await copyFolder(join(shared, 'tls'), paths.tls)
  const settings = JSON.parse(readFileSync(join(shared, 'settings.json'), 'utf8')) as Record<string, string>
  const store = holdFolder(folder)
  for (const [name, value] of Object.entries(settings)) store.setSetting(name, value)
  store.close()
}

/** The first caller of all workers makes it, the others wait. */
async function sharedCluster(folder: string): Promise<string> {
  const [part, whole] = [join(folder, 'part'), join(folder, 'whole')]
  if (mkdirSync(join(folder, 'making'), { recursive: true }) === undefined) {
    // oxlint-disable-next-line no-await-in-loop -- another process makes it
    while (!existsSync(whole)) await new Promise((resolve) => setTimeout(resolve, 20))
    return whole
  }
  {
    await using stack = new AsyncDisposableStack()
    const { store } = await prepare({ folder: part }, stack)
    const settings = Object.fromEntries(SETTINGS.map((name) => [name, store.setting(name)]))
    writeFileSync(join(part, 'settings.json'), JSON.stringify(settings))
  }
  renameSync(part, whole)
  return whole
}
