import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { textFields, textTable } from '../../../src/cli/terminal/io.ts'
import { createIo } from '../../../src/cli/terminal/process-io.ts'
import { dormouse, words } from '../local-cli.ts'

const PROGRAM = join(import.meta.dirname, '../../../src/dormouse.mjs')

test('a table has columns as wide as their widest cell', () => {
  expect(
    textTable(
      ['A', 'LONG HEAD', 'C'],
      [
        ['aaaa', 'b', 'c'],
        ['a', '', ''],
      ],
    ),
  ).toBe(['A     LONG HEAD  C', 'aaaa  b          c', 'a'].join('\n'))
  expect(textTable(['A', 'B'], [])).toBe('A  B')
})

test('a table has as many rows as an account has computes, whatever the size of the stack', () => {
  const rows = Array.from({ length: 700_000 }, () => ['a'])
  expect(textTable(['A'], rows)).toHaveLength(2 * (rows.length + 1) - 1)
})

test('nothing in a name steers the terminal', () => {
  expect(textTable(['NAME'], [['a\u001B[2Jb\nc']])).toBe('NAME\na?[2Jb?c')
  expect(textFields({ name: '\u0007', id: '1' })).toBe('name  ?\nid    1')
})

const broken = (code: string) => Object.assign(new Error(code), { code })

describe('a stream', () => {
  test('whose reader went away does not end the program', () => {
    const stdout = new PassThrough()
    const io = createIo({ stdout, stderr: new PassThrough() }, new AbortController().signal)
    expect(() => stdout.emit('error', broken('EPIPE'))).not.toThrow()
    expect(() => io.out('more')).not.toThrow()
  })

  test.skipIf(!existsSync('/dev/full'))('on a full disk ends the program with one line', () => {
    const full = openSync('/dev/full', 'w')
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, '--help'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    closeSync(full)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'dormouse: the output cannot be written (ENOSPC: no space left on device, write)\n',
    })
  })

  test('that fails otherwise does', () => {
    const stderr = new PassThrough()
    createIo({ stdout: new PassThrough(), stderr }, new AbortController().signal)
    expect(() => stderr.emit('error', broken('EIO'))).toThrow('EIO')
  })
})

describe('the program', () => {
  test.each([
    ['--version', 0, /^\d+\.\d+\.\d+\n$/, /^$/],
    ['--help', 0, /Usage: dormouse/, /^$/],
    ['computes --help', 0, /restart/, /^$/],
    ['', 2, /^$/, /unknown command/],
    ['computes', 2, /^$/, /Usage: dormouse computes/],
    ['projcts', 2, /^$/, /unknown command 'projcts'.*projects/s],
    ['projects list --jsn', 2, /^$/, /unknown option '--jsn'.*--json/s],
    ['computes get', 2, /^$/, /missing required argument 'project'/],
    ['computes get .. ep-x', 2, /^$/, /Expected an id/],
    ['computes update p ep-x --cu zero', 2, /^$/, /Expected a size in CU/],
    ['keys create x --api-key secret', 2, /^$/, /unknown option '--api-key'/],
  ])('given %j ends with %s', async (line, code, out, err) => {
    const ended = await dormouse(words(line))
    expect(ended).toEqual({ code, out: expect.stringMatching(out), err: expect.stringMatching(err) })
  })
})
