// A file that cannot be written whole, because there is no room: what was there stays, and no part is left.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { testWith } from '../../support/tiers.ts'

const SINK = pathToFileURL(join(import.meta.dirname, '../../../src/outputs/notify/file.ts')).href

/** What a process that may write files of `bytes` at most says of a report of 100 kB. */
function written(folder: string, bytes: string): unknown {
  const code = `
    process.on('SIGXFSZ', () => undefined)
    const { createFileSink } = await import(${JSON.stringify(SINK)})
    const sink = createFileSink({ path: ${JSON.stringify(join(folder, '{slot}.md'))}, keep: 9 })
    const body = 'x'.repeat(100_000)
    const message = { account: 'main', slot: '2026-W47', text: '', attachments: [{ name: 'r', type: 't', body }] }
    console.log(JSON.stringify(await sink(message, new AbortController().signal)))`
  const limits = ['--fsize=' + bytes, process.execPath, '--input-type=module', '-e', code]
  const { stdout } = spawnSync('prlimit', limits, { encoding: 'utf8' })
  return JSON.parse(stdout)
}

testWith('prlimit')(
  'where there is no room the week before stays, and the report comes when there is',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'dormouse-full-'))
    try {
      writeFileSync(join(folder, '2026-W46.md'), 'the week before')
      expect(written(folder, '4096')).toEqual({ kind: 'retry', because: 'could not be written: EFBIG' })
      expect(readdirSync(folder)).toEqual(['2026-W46.md'])
      expect(readFileSync(join(folder, '2026-W46.md'), 'utf8')).toBe('the week before')
      expect(written(folder, 'unlimited')).toEqual({ kind: 'delivered' })
      expect(readdirSync(folder)).toEqual(['2026-W46.md', '2026-W47.md'])
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)
