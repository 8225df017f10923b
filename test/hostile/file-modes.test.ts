// What Dormouse keeps is for its user alone: with any umask, in a folder that was there before, beside what others have put there.
import { execFile } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { prepareFolder, holdFolder } from '../../src/local/setup/folder.ts'
import { createFileSink } from '../../src/outputs/notify/file.ts'
import { openEmbeddedStore } from '../../src/store/sqlite/embedded.ts'
import { dormouse } from '../cli/local-cli.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { memoryFolder } from '../support/folder.ts'
import { bySize, longTest } from '../support/tiers.ts'

const LAUNCHER = join(import.meta.dirname, '../../src/dormouse.mjs')
/** The user `nobody`. */
const NOBODY = 65_534
let root = ''
let umask = 0
beforeEach(() => {
  root = memoryFolder('dormouse-modes-')
  umask = process.umask(0)
})
afterEach(() => {
  process.umask(umask)
  rmSync(root, { recursive: true })
})

/** Paths below `folder`, itself included, that the group or others may read, write or enter. */
const openToOthers = (folder: string): readonly string[] =>
  [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))]
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
    .map((path) => relative(root, path))

const storeFolder = () => join(root, 'store')
const openStore = () => openEmbeddedStore(storeFolder(), fakeClock())

describe('the store', () => {
  test('is for its user alone without a umask', async () => {
    const store = openStore()
    expect(openToOthers(storeFolder())).toEqual([])
    await store.close()
  })

  test('takes rights of others from files that an earlier version left when it was killed', async () => {
    const killed = openEmbeddedStore(join(root, 'killed'), fakeClock())
    cpSync(join(root, 'killed'), storeFolder(), { recursive: true })
    await killed.close()
    chmodSync(storeFolder(), 0o700)
    for (const name of readdirSync(storeFolder())) chmodSync(join(storeFolder(), name), 0o666)
    const store = openStore()
    expect(openToOthers(storeFolder())).toEqual([])
    await store.close()
  })

  test('opens although another user holds a lock that was readable', async () => {
    mkdirSync(storeFolder(), { mode: 0o755 })
    const file = join(storeFolder(), 'lock.sqlite')
    writeFileSync(file, '', { mode: 0o644 })
    using theirs = new DatabaseSync(file, { readOnly: true })
    theirs.exec('begin; select * from sqlite_master')
    const store = openStore()
    expect(openStore).toThrow('is in use by another Dormouse')
    await store.close()
  })

  test.each([0o777, 0o775, 0o1777])('is refused in a folder that others can write to: %o', (mode) => {
    mkdirSync(storeFolder())
    chmodSync(storeFolder(), mode)
    expect(openStore).toThrow(`other users can write to the folder ${storeFolder()}: run "chmod go-w`)
    expect(readdirSync(storeFolder())).toEqual([])
  })

  // only root can give a folder away
  test.skipIf(process.getuid?.() !== 0)(
    'is refused in a folder of another user, also where a link of another user leads',
    () => {
      mkdirSync(storeFolder(), { mode: 0o700 })
      chownSync(storeFolder(), NOBODY, NOBODY)
      expect(openStore).toThrow(
        `the folder ${storeFolder()} belongs to user ${NOBODY}: expected a folder of the user`,
      )
      const link = join(root, 'link')
      mkdirSync(join(root, 'own'), { mode: 0o700 })
      symlinkSync(join(root, 'own'), link)
      lchownSync(link, NOBODY, NOBODY)
      expect(() => openEmbeddedStore(link, fakeClock())).toThrow(
        `the folder ${link} belongs to user ${NOBODY}`,
      )
      expect([readdirSync(storeFolder()), readdirSync(join(root, 'own'))]).toEqual([[], []])
    },
  )
})

test('a report in a file is for its user alone', async () => {
  const send = createFileSink({ path: join(root, 'reports', '{slot}.md'), keep: 1 })
  const text = 'spend by team'
  const message = { key: 'a', account: 'a', slot: '2026-W46', subject: '', text, body: {}, attachments: [] }
  expect(await send(message, AbortSignal.timeout(10_000))).toEqual({ kind: 'delivered' })
  expect(openToOthers(join(root, 'reports'))).toEqual([])
})

test('the data of the local service are for its user alone, also in a folder that was open', () => {
  const folder = join(root, 'local')
  mkdirSync(join(folder, 'branches'), { recursive: true })
  writeFileSync(join(folder, 'state.sqlite'), '')
  const { clusters, branches, poolers } = prepareFolder(folder, undefined)
  const store = holdFolder(folder)
  store.setSetting('password', 'secret')
  expect([clusters, branches, poolers].flatMap(openToOthers)).toEqual([])
  expect(openToOthers(folder)).toEqual([])
  store.close()
})

describe('a command', () => {
  longTest('makes files for its user alone without a umask', async () => {
    mkdirSync(join(root, 'made'), { mode: 0o700 })
    const file = join(root, 'made/dormouse.yaml')
    const script = `umask 0; exec "$0" "$1" init --base-url http://127.0.0.1:9/api/v2 --output "$2"`
    // without a key `init` asks nobody
    const env = { ...process.env, DORMOUSE_API_KEY: undefined }
    await promisify(execFile)('sh', ['-c', script, process.execPath, LAUNCHER, file], { env })
    expect(openToOthers(join(root, 'made'))).toEqual([])
  })

  test.each([
    ['local --folder', 2],
    ['demo --report', 2],
    ['audit --base-url http://127.0.0.1:9/api/v2 --folder', 2],
  ])('refuses a folder that another user has prepared: %s', async (words, code) => {
    const folder = join(root, 'prepared')
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    const ended = await dormouse([...words.split(' '), folder], {
      cwd: root,
      env: { DORMOUSE_API_KEY: 'key' },
    })
    expect(ended).toMatchObject({ code, out: '' })
    expect(ended.err).toContain(`other users can write to the folder ${folder}: run "chmod go-w`)
    expect(readdirSync(folder)).toEqual([])
  })

  // only root can give a file away
  test.skipIf(process.getuid?.() !== 0)(
    'takes no configuration that another user has put into the current folder',
    async () => {
      const file = join(root, 'dormouse.yaml')
      writeFileSync(
        file,
        'accounts: [{ name: a, base_url: "https://h/api/v2", plan: free, api_key_env: KEY }]',
      )
      chownSync(file, NOBODY, NOBODY)
      const command = (words: string) => dormouse(words.split(' '), { cwd: root, env: { KEY: 'key' } })
      for (const words of bySize(['run', 'once', 'check-config', 'status', 'projects list'], ['run'])) {
        const { code, err } = await command(words)
        expect([code, err]).toEqual([2, expect.stringContaining(`dormouse.yaml belongs to user ${NOBODY}`)])
      }
      expect(await command(`check-config --config ${file}`)).toMatchObject({ code: 0, err: '' })
    },
  )

  test('writes no configuration through a link that somebody else has placed', async () => {
    symlinkSync(join(root, 'elsewhere'), join(root, 'dormouse.yaml'))
    expect((await dormouse(['init'], { cwd: root })).code).not.toBe(0)
    expect(readdirSync(root)).toEqual(['dormouse.yaml'])
  })
})

const warningLine = (key: string, mode: string) =>
  `dormouse: warning: ${key}: other users of this machine can read the file (mode ${mode}): expected 600 or 400`

test('files of secrets that others can read are a warning, each by its key', async () => {
  const modes = { key: 0o644, password: 0o640, url: 0o604, secret: 0o600 }
  for (const [name, mode] of Object.entries(modes))
    writeFileSync(join(root, name), 'https://h/secret', { mode })
  writeFileSync(
    join(root, 'dormouse.yaml'),
    `accounts: [{ name: a, base_url: "https://h/api/v2", plan: free, api_key_file: key, dsn_password_file: password,
      dsn: "postgresql://dormouse@{host}/{database}" }]
notifications: [{ name: ops, type: webhook, url_file: url, secret_file: secret }]
report: { sinks: [{ name: boss, type: slack, url_file: url }] }
`,
  )
  const { code, err } = await dormouse(['check-config'], { cwd: root })
  expect({ code, err: err.trimEnd().split('\n') }).toEqual({
    code: 0,
    err: [
      warningLine('accounts[0].api_key_file', '644'),
      warningLine('accounts[0].dsn_password_file', '640'),
      warningLine('notifications[0].url_file', '604'),
      warningLine('report.sinks[0].url_file', '604'),
    ],
  })
})

// only root can give a file away
test.skipIf(process.getuid?.() !== 0)(
  'files that only root and the group of the daemon can read, as a mounted secret, are no warning',
  async () => {
    const group = 65_532
    const files = { key: [0, group], password: [0, group + 1], url: [NOBODY, group] } as const
    for (const [name, [owner, itsGroup]] of Object.entries(files)) {
      writeFileSync(join(root, name), 'https://h/secret', { mode: 0o440 })
      chownSync(join(root, name), owner, itsGroup)
    }
    writeFileSync(
      join(root, 'dormouse.yaml'),
      `accounts: [{ name: a, base_url: "https://h/api/v2", plan: free, api_key_file: key, dsn_password_file: password,
      dsn: "postgresql://dormouse@{host}/{database}" }]
notifications: [{ name: ops, type: slack, url_file: url }]
`,
    )
    using _ = vi.spyOn(process, 'getegid').mockReturnValue(group)
    const { code, err } = await dormouse(['check-config'], { cwd: root })
    expect({ code, err: err.trimEnd().split('\n') }).toEqual({
      code: 0,
      err: [
        warningLine('accounts[0].dsn_password_file', '440'),
        warningLine('notifications[0].url_file', '440'),
      ],
    })
  },
)
