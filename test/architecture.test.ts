// The dependency rules of src/: a file may import its own folder, and what its row in support/dependencies.ts lists.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { MAY_IMPORT } from './support/dependencies.ts'

const SRC = join(import.meta.dirname, '../src')
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))

/** Whether `path` is `entry` or lies inside it: 'model/units.ts' in 'model', 'node:fs/promises' in 'node:fs'. */
const within = (path: string, entry: string): boolean => path === entry || path.startsWith(`${entry}/`)

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '.')

/** The longest key of the table that fits `file`; files beside main.ts have the row '.'. */
const rowOf = (file: string): string =>
  Object.keys(MAY_IMPORT)
    .filter((key) => within(file, key))
    .toSorted((a, b) => b.length - a.length)[0] ?? folderOf(file)

/** Every module specifier in `source`: static, type-only, re-exported, side-effect and dynamic imports. */
function importsOf(source: string): string[] {
  const statement =
    /^(?:import|export)\b[^'"]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm
  return [...source.matchAll(statement)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}

/** 'model/units.ts' for '../model/units.ts', 'pg' for 'pg', 'node:fs' for 'node:fs'. */
const target = (file: string, specifier: string): string =>
  specifier.startsWith('.') ? relative(SRC, join(SRC, dirname(file), specifier)) : specifier

const permits = (row: string, to: string): boolean =>
  within(to, row) ||
  (row === '.' && folderOf(to) === '.') ||
  (MAY_IMPORT[row] ?? []).some((entry) => within(to, entry) || (entry === 'node:*' && to.startsWith('node:')))

test('every folder has a row and every row a folder or file', () => {
  const rows = Object.keys(MAY_IMPORT)
  expect(rows.filter((row) => !row.includes('/')).toSorted()).toEqual(
    [...new Set(files.map(folderOf))].toSorted(),
  )
  expect(rows.filter((row) => row.includes('/') && !files.some((file) => within(file, row)))).toEqual([])
})

test.each(files)('%s imports only what its row allows', (file) => {
  const targets = importsOf(readFileSync(join(SRC, file), 'utf8')).map((name) => target(file, name))
  expect(targets.filter((to) => !permits(rowOf(file), to))).toEqual([])
})

// tsc and vitest resolve './x.js' to x.ts; node does not, so the mistake would surface only when it runs.
test.each(files)('%s ends its relative imports in .ts', (file) => {
  const relatives = importsOf(readFileSync(join(SRC, file), 'utf8')).filter((name) => name.startsWith('.'))
  expect(relatives.filter((name) => !name.endsWith('.ts'))).toEqual([])
})
