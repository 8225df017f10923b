// Files and folders that no other user can read or exchange, whatever the umask and whoever made them.
import { chmodSync, closeSync, existsSync, lstatSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Rights of the group and of others: all, and to write. */
const OTHERS = 0o077
const OTHERS_WRITE = 0o022

/** Makes the folder unless it exists. @throws when it cannot, when it belongs to another user, or others can write to it */
export function ensurePrivateFolder(folder: string): void {
  makeFolders(folder)
  const problem = foreignFolderProblem(folder)
  if (problem !== undefined) throw new Error(problem)
}

/** Makes one level after the other: below `/proc`, `recursive` of Node 24 never ends. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  makeFolders(dirname(resolve(folder)))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (err) {
    // another process may have made it since
    if (existsSync(folder)) return
    const { code = String(err) } = err as NodeJS.ErrnoException
    throw new Error(`the folder ${folder} cannot be made (${code}): name one that this user may write to`, {
      cause: err,
    })
  }
}

/** Why other users could exchange files in an existing folder; undefined if they cannot, or if there is no folder. */
export function foreignFolderProblem(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const owner = foreignOwner(folder)
  if (owner !== undefined)
    return `the folder ${folder} belongs to user ${owner}: expected a folder of the user who runs this program`
  if ((statSync(folder).mode & OTHERS_WRITE) === 0) return undefined
  return `other users can write to the folder ${folder}: run "chmod go-w ${folder}", or name a folder inside it that does not exist yet`
}

/** Another user, but not root, who owns the file or folder or a symbolic link in its place; undefined if there is none. */
export function foreignOwner(path: string): number | undefined {
  if (!existsSync(path)) return undefined
  const user = process.geteuid?.()
  return [statSync(path).uid, lstatSync(path).uid].find((owner) => owner !== user && owner !== 0)
}

/** Makes an empty file unless it exists, mode 0600 in any case. The folder is private. */
export function ensurePrivateFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

/** Makes an empty private file that is only locked. A file that others could open is replaced: they may hold its lock. */
export function ensurePrivateLock(file: string): void {
  if (isOpenToOthers(file)) rmSync(file)
  ensurePrivateFile(file)
}

/** Whether the group or others may read, write or run an existing file. */
const isOpenToOthers = (file: string): boolean =>
  ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0
