// Files and folders of servers: copies, secrets, and files that appear whole.
import { execFile } from 'node:child_process'
import { chownSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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

/** Makes a folder unless it exists. It appears under its name only when it is complete, whenever the service is killed. */
export async function makeWhole(folder: string, fill: (partial: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return
  // named after this process: programs that outlived a killed service write to other names
  const partial = `${folder}.${process.pid}.partial`
  rmSync(partial, { recursive: true, force: true })
  await fill(partial)
  renameSync(partial, folder)
}

/** Whether an entry is an incomplete folder, or a file for its making. */
export const isPartial = (name: string): boolean => name.endsWith('.partial')

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
