// Files and folders of servers: copies, secrets, and files that appear whole.
import { execFile } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SystemUser } from './owner.ts'

/** Atomic: a reader, and the next start after a kill, find the old text or the new. By default the user of Postgres can read it, too. */
export function replaceFile(path: string, text: string, mode = 0o644): void {
  writeFileSync(`${path}.new`, text, { mode })
  chmodSync(`${path}.new`, mode) // whatever the umask
  renameSync(`${path}.new`, path)
}

/** Gives files to the user of Postgres; undefined is that of this process. */
export function giveTo(owner: SystemUser | undefined, ...paths: readonly string[]): void {
  if (owner) for (const path of paths) chownSync(path, owner.uid, owner.gid)
}

/** Writes a file that only its owner may read, whatever mode it had. */
export function writeSecret(path: string, text: string, owner: SystemUser | undefined): void {
  writeFileSync(path, text, { mode: 0o600 })
  chmodSync(path, 0o600)
  giveTo(owner, path)
}

/** Makes a folder unless it exists; it gets its name when complete, whenever the service is killed. */
export async function makeWhole(folder: string, fill: (partial: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return
  // by process: programs that outlived a killed service use other names
  const partial = `${folder}.${process.pid}.partial`
  rmSync(partial, { recursive: true, force: true })
  await fill(partial)
  renameSync(partial, folder)
}

export const isPartial = (name: string): boolean => name.endsWith('.partial')

export function removeEntries(parent: string, fits: (name: string) => boolean = () => true): void {
  for (const name of readdirSync(parent).filter(fits))
    rmSync(join(parent, name), { recursive: true, force: true })
}

/** Keeps owners and times; shares blocks where the file system can. */
export async function copyFolder(from: string, to: string): Promise<void> {
  const shares = process.platform === 'linux' ? ['--reflink=auto'] : []
  await promisify(execFile)('cp', ['-a', ...shares, from, to])
}

export const removeFolder = (folder: string): Promise<unknown> => promisify(execFile)('rm', ['-rf', folder])
