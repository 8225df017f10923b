import { existsSync, globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LONG_FILES } from './long-files.ts'
import { POSTGRES_FILES } from './postgres.ts'

test('each long file exists, and has a short form that always runs', () => {
  const pairs = Object.entries(LONG_FILES)
  expect(pairs.flat().filter((file) => !existsSync(file))).toEqual([])
  expect(pairs.filter(([, shortForm]) => shortForm in LONG_FILES)).toEqual([])
})

test('each glob of files that start Postgres matches a file', () => {
  expect(POSTGRES_FILES.filter((glob) => globSync(glob).length === 0)).toEqual([])
})
