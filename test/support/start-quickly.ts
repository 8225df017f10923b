// A local service whose first start makes no database cluster: it gets a copy of one that the first test of the run has made.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { copyFolder } from '../../src/local/compute/files.ts'
import { postgresUser } from '../../src/local/compute/owner.ts'
import { holdFolder, prepareFolder } from '../../src/local/setup/folder.ts'
import { prepare } from '../../src/local/setup/prepare.ts'
import { startLocal, type Local, type LocalOptions } from '../../src/local/start.ts'

/** What a cluster and the state beside it have in common. */
const SETTINGS = ['superuser-password', 'postgres-major'] as const

/** As `startLocal`. With `PG_BIN` the cluster may be of another version: it is made as ever. */
export async function startQuickly(options: LocalOptions): Promise<Local> {
  const isFirst = !existsSync(join(options.folder, 'state.sqlite'))
  if (isFirst && process.env['PG_BIN'] === undefined) await placeCluster(options)
  return startLocal(options)
}

async function placeCluster({ folder, hostSuffix }: LocalOptions): Promise<void> {
  const shared = await sharedCluster(inject('clusterFolder'))
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
