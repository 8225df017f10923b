import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'

/** Where programs of the system are, also those that only root has on its path. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/sbin']

export function isThere(program: string): boolean {
  return FOLDERS.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** `test`, skipped where one of `programs` is missing, which is told. With `CI=true` it runs all the same, and fails. */
export function testWith(...programs: readonly string[]): typeof test {
  const missing = programs.filter((program) => !isThere(program))
  if (missing.length === 0 || process.env['CI'] === 'true') return test
  console.warn(`skipped for want of ${missing.join(' and ')}`)
  return test.skip as typeof test
}
