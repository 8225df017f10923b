import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

export type SystemUser = Readonly<{ name: string; uid: number; gid: number }>

/** The user of Postgres; undefined for our own. As root, which it refuses: `postgres` or `nobody`, else throws. */
export function postgresUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const users = lines.map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const entry = users.find((fields) => fields[0] === name)
    if (entry) return { name, uid: Number(entry[2]), gid: Number(entry[3]) }
  }
  throw new Error(
    'Postgres refuses to run as root, and this machine has no user "postgres" or "nobody" to run it as: ' +
      'run as an ordinary user, or add one with "useradd --system postgres"',
  )
}

/** The first folder towards `path` that the owner may not enter. */
export function closedFolder(path: string, owner: SystemUser | undefined): string | undefined {
  if (!owner) return undefined
  const parents = [path]
  for (let folder = path; dirname(folder) !== folder; folder = dirname(folder))
    parents.unshift(dirname(folder))
  return parents.find((folder) => !mayEnter(folder, owner))
}

function mayEnter(folder: string, { uid, gid }: SystemUser): boolean {
  const { mode, uid: ownerUid, gid: ownerGid } = statSync(folder)
  const bit = ownerUid === uid ? 0o100 : ownerGid === gid ? 0o010 : 0o001
  return (mode & bit) !== 0
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
