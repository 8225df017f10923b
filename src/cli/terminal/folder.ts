// A folder that a command is to use: it is there, or can be made.
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { failed, ok, type Result } from '../../std/result.ts'
import type { Io } from './io.ts'

/** Undefined where none is given. The problem is one line with the name of the option. */
export function parseFolderOption(
  option: string,
  text: string | undefined,
  { cwd }: Io,
): Result<string | undefined, string> {
  if (text === undefined) return ok(undefined)
  const folder = resolve(cwd, text)
  const there = nearest(folder)
  return isFolder(there) ? ok(folder) : failed(`${option}: ${there} is a file, expected a folder`)
}

/** Itself, or what is there of the way to it. */
function nearest(path: string): string {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined
  return isThere || dirname(path) === path ? path : nearest(dirname(path))
}

export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
