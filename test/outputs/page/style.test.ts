// The style sheet contains all files of the style, each of readable length.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStyle } from '../../../src/daemon/http/pages/page-routes.ts'

const FOLDER = join(import.meta.dirname, '../../../src/outputs/page/style')
const files = readdirSync(FOLDER)

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')

test('the sheet is all files of the style, each once', () => {
  const sheet = readStyle()
  expect(files.filter((file) => sheet.split(read(file)).length !== 2)).toEqual([])
  expect(sheet).toHaveLength(files.reduce((sum, file) => sum + read(file).length, 0))
})

test('no file of the style is longer than a source file may be', () => {
  expect(files.filter((file) => read(file).split('\n').length > 300)).toEqual([])
})
