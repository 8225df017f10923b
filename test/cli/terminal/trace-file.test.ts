import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { readTraceFile } from '../../../src/cli/terminal/trace-file.ts'

const TEXT = 'series,ts,value,metric\n'
const ZIPPED = gzipSync(TEXT.repeat(1000))

const folder = mkdtempSync(join(tmpdir(), 'dormouse-trace-'))
afterAll(() => rmSync(folder, { recursive: true }))
const written = (content: string | Buffer) => {
  const path = join(folder, 'load.csv.gz')
  writeFileSync(path, content)
  return readTraceFile(path)
}

test('text and text in gzip', () => {
  expect(written(TEXT)).toEqual({ ok: true, value: { file: 'load.csv.gz', text: TEXT } })
  expect(written(ZIPPED)).toEqual({ ok: true, value: { file: 'load.csv.gz', text: TEXT.repeat(1000) } })
})

test.each([
  ['a gzip that is cut', ZIPPED.subarray(0, ZIPPED.length - 12)],
  ['a gzip of its first bytes', ZIPPED.subarray(0, 5)],
  ['a damaged gzip', Buffer.concat([ZIPPED.subarray(0, 12), Buffer.alloc(40, 7)])],
])('%s is refused in one line with its name', (_, content) => {
  expect(written(content)).toEqual({
    ok: false,
    error: expect.stringMatching(/^load\.csv\.gz:1: cannot be read: [^\n]+$/) as string,
  })
})

test('a file that does not exist is refused', () => {
  expect(readTraceFile(join(folder, 'none.csv'))).toEqual({
    ok: false,
    error: expect.stringMatching(/^none\.csv:1: cannot be read: ENOENT/) as string,
  })
})
