// Folders in which another user has put compiled code: it is not run.
import { execFile } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { memoryFolder } from '../support/folder.ts'

const LAUNCHER = join(import.meta.dirname, '../../src/dormouse.mjs')
const GENUINE = "process.stdout.write('genuine')\n"
const PLANTED = "process.stdout.write('planted')\n"
/** The user `nobody`. */
const NOBODY = 65_534

const root = memoryFolder('dormouse-hostile-')
const at = (...names: readonly string[]) => join(root, ...names)
const [temporary, cache] = [at('tmp'), at('cache')]

beforeAll(async () => {
  for (const name of ['program', 'filled']) mkdirSync(at(name), { mode: 0o700 })
  copyFileSync(LAUNCHER, at('program/dormouse.mjs'))
  writeFileSync(at('program/main.ts'), GENUINE)
  writeFileSync(at('program/package.json'), '{ "type": "module" }')
  await plant()
})
beforeEach(() => {
  for (const folder of [temporary, cache]) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { mode: 0o700 })
  }
})
afterAll(() => rmSync(root, { recursive: true }))

/** What the launcher prints, in front of a program of one line: genuine or planted. */
async function printed(environment: Readonly<Record<string, string>>): Promise<string> {
  const env = { PATH: process.env['PATH'], ...environment }
  return (await promisify(execFile)(process.execPath, [at('program/dormouse.mjs')], { env })).stdout
}

const started = (): Promise<string> => printed({ TMPDIR: temporary, XDG_CACHE_HOME: cache })

/** Fills the folder `planted` as Node does, but with another program. */
async function plant(): Promise<void> {
  await printed({ TMPDIR: at('filled'), XDG_CACHE_HOME: at('filled') })
  const [made = ''] = globSync(at('filled/*/v*'))
  const copy = at('planted', basename(made))
  cpSync(made, copy, { recursive: true })
  for (const name of readdirSync(copy)) {
    const entry = readFileSync(join(copy, name))
    if (entry.includes(GENUINE)) writeFileSync(join(copy, name), plantedEntry(entry))
  }
}

/** Node's format: five numbers of four bytes (mark, length and hash of the source, length and hash of the code), then the code. */
function plantedEntry(genuine: Buffer): Buffer {
  const head = Buffer.from(genuine.subarray(0, 20))
  head.writeUInt32LE(PLANTED.length, 8)
  head.writeUInt32LE(crc32(PLANTED), 16)
  return Buffer.concat([head, Buffer.from(PLANTED)])
}

function place(folder: string, mode: number): void {
  cpSync(at('planted'), folder, { recursive: true })
  chmodSync(folder, mode)
}

test('compiled code in the cache folder of this user is run: the other tests plant the right thing', async () => {
  place(join(cache, 'dormouse'), 0o700)
  expect(await started()).toBe('planted')
})

test('compiled code in the temporary folder is not run', async () => {
  place(join(temporary, 'node-compile-cache'), 0o777)
  expect(await started()).toBe('genuine')
})

test.each<readonly [string, () => void]>([
  ['to which a group can write', () => place(join(cache, 'dormouse'), 0o770)],
  ['that others can read', () => place(join(cache, 'dormouse'), 0o755)],
  [
    'below a folder to which others can write',
    () => {
      place(join(cache, 'dormouse'), 0o700)
      chmodSync(cache, 0o777)
    },
  ],
  [
    'behind a symbolic link',
    () => {
      place(join(temporary, 'theirs'), 0o777)
      symlinkSync(join(temporary, 'theirs'), join(cache, 'dormouse'))
    },
  ],
])('compiled code in a cache folder %s is not run', async (_, prepare) => {
  prepare()
  expect(await started()).toBe('genuine')
})

// only root can give a folder away
test.skipIf(process.getuid?.() !== 0)(
  'compiled code in a cache folder of another user is not run',
  async () => {
    place(join(cache, 'dormouse'), 0o700)
    chownSync(join(cache, 'dormouse'), NOBODY, NOBODY)
    expect(await started()).toBe('genuine')
  },
)

test('a start leaves nothing in the temporary folder', async () => {
  await started()
  expect([readdirSync(temporary), readdirSync(cache)]).toEqual([[], ['dormouse']])
})
