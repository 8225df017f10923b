// The program as the image has it, in a folder of its own.
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeBundle } from '../../support/bundle.ts'

const CHECKOUT = join(import.meta.dirname, '../../..')

/** Returns the path of the launcher. */
export async function layOutImage(folder: string): Promise<string> {
  mkdirSync(join(folder, 'config'), { recursive: true })
  for (const path of ['package.json', 'config/prices.yaml'])
    copyFileSync(join(CHECKOUT, path), join(folder, path))
  await writeBundle(join(folder, 'src'))
  return join(folder, 'src/dormouse.mjs')
}
