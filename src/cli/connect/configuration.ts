import { resolve } from 'node:path'
import { loadWithSource, type CheckedConfig } from '../../config/load.ts'
import type { ConfigProblems } from '../../config/problems.ts'
import { failed, type Result } from '../../std/result.ts'
import { foreignOwner } from '../../store/private-files.ts'
import type { Io } from '../terminal/io.ts'

/** In the current folder. */
export const DEFAULT_CONFIG = 'dormouse.yaml'

/** Description of the option `--config`, which has no default: only a file that nobody named is checked for its owner. */
export const CONFIG_TEXT = `configuration file (default: ${DEFAULT_CONFIG})`

/** From the file of `--config`, else from that of the current folder, where another user may have put it. */
export function readConfiguration(
  given: string | undefined,
  io: Io,
  options?: Parameters<typeof loadWithSource>[2],
): Result<CheckedConfig, ConfigProblems> {
  const path = resolve(io.cwd, given ?? DEFAULT_CONFIG)
  const owner = given === undefined ? foreignOwner(path) : undefined
  if (owner === undefined) return loadWithSource(path, io, options)
  return failed([
    `${path} belongs to user ${owner}, who would decide where keys are sent: name it with --config if it is yours`,
  ])
}
