// The program as the image has it, for tests of whole programs: it starts in half the time of the checkout.
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { writeBundle } from './bundle.ts'
import { memoryFolder, PROGRAM_FOLDER } from './folder.ts'

const CHECKOUT = join(import.meta.dirname, '../..')

/** Workers inherit the variable. */
export async function setup({ config }: TestProject): Promise<(() => void) | undefined> {
  // sources change while they are watched, and the bundle would not
  if (config.watch) return undefined
  const folder = memoryFolder('dormouse-program-')
  await writeBundle(join(folder, 'src'))
  mkdirSync(join(folder, 'cache'), { mode: 0o700 })
  copyFileSync(join(CHECKOUT, 'package.json'), join(folder, 'package.json'))
  for (const name of ['config', 'dashboards', 'node_modules'])
    symlinkSync(join(CHECKOUT, name), join(folder, name))
  process.env[PROGRAM_FOLDER] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
