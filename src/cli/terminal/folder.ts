// Folders given as options: they exist or can be created.
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { failed, ok, type Result } from '../../std/result.ts'
import type { Io } from './io.ts'

/** Absolute path of the folder; undefined if none is given. The problem names the option. */
export function parseFolderOption(
  option: string,
  text: string | undefined,
  { cwd }: Io,
): Result<string | undefined, string> {
  if (text === undefined) return ok(undefined)
  const folder = resolve(cwd, text)
  const existing = nearestExisting(folder)
  return isFolder(existing) ? ok(folder) : failed(`${option}: ${existing} is a file, expected a folder`)
}

/** The path itself, or its nearest parent that exists. */
function nearestExisting(path: string): string {
  const exists = statSync(path, { throwIfNoEntry: false }) !== undefined
  return exists || dirname(path) === path ? path : nearestExisting(dirname(path))
}

export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
