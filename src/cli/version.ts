import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** As package.json has it. */
export function packageVersion(): string {
  const file = join(import.meta.dirname, '../../package.json')
  const { version: text } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }
  return text
}
