// Files and folders of servers: copies, secrets, and files that appear whole.
import { execFile } from 'node:child_process'
import { chownSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SystemUser } from './owner.ts'

/** Writes a file atomically: a reader, and the next start after a kill, find the former text or the new one. */
export function replaceFile(path: string, text: string, mode?: number): void {
  writeFileSync(`${path}.new`, text, { mode })
  renameSync(`${path}.new`, path)
}

/** Gives files and folders to the user that Postgres runs as; without one, that is the user of this process. */
export function giveTo(owner: SystemUser | undefined, ...paths: readonly string[]): void {
  if (owner) for (const path of paths) chownSync(path, owner.uid, owner.gid)
}

/** Writes a file that only its owner may read. */
export function writeSecret(path: string, text: string, owner: SystemUser | undefined): void {
  writeFileSync(path, text, { mode: 0o600 })
  giveTo(owner, path)
}

/** Path of an incomplete folder. Named after this process: programs that outlived a killed service write to other names. */
export const partialOf = (folder: string): string => `${folder}.${process.pid}.partial`

/** Removes the entries of a folder whose names fit. */
export function removeEntries(parent: string, fits: (name: string) => boolean = () => true): void {
  for (const name of readdirSync(parent).filter(fits))
    rmSync(join(parent, name), { recursive: true, force: true })
}

/** Copies a folder with owners and times. Shares blocks where the file system can. */
export async function copyFolder(from: string, to: string): Promise<void> {
  const shares = process.platform === 'linux' ? ['--reflink=auto'] : []
  await promisify(execFile)('cp', ['-a', ...shares, from, to])
}

/** Removes a data folder that no server runs on. */
export const removeFolder = (folder: string): Promise<unknown> => promisify(execFile)('rm', ['-rf', folder])
