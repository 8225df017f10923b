// What is wrong with a command line is said in one line with what is allowed, before anything is asked or written.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runProgram } from '../../src/cli/program.ts'
import { createRedactor } from '../../src/std/redactor.ts'
import { dormouse, words } from './local-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'dormouse-arguments-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Nothing listens there: whoever asks is refused at once. */
const NOBODY = '127.0.0.1:9'
const FILES = {
  'dormouse.yaml': `accounts:
  - { name: main, base_url: 'http://${NOBODY}/api/v2', api_key_file: key, plan: launch }
server: { api: '${NOBODY}' }
store: { folder: ${join(folder, 'store')} }
`,
  key: 'napi_x\n',
  list: '- one\n',
  broken: 'accounts: [\n',
  foreign: 'clé\n',
}
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
mkdirSync(join(folder, 'data'))
const before = readdirSync(folder)

/** `''` stands for an empty word. */
const given = (line: string): string[] => words(line).map((word) => (word === "''" ? '' : word))

const SERVICE = `--base-url http://${NOBODY}/api/v2 --api-key-file key`
const TIME = 'Expected a length of time up to 24d, such as 500ms, 60s or 5m.'

test.each([
  ["run --config ''", `option '--config <file>' argument is empty`],
  ["explain ''", `argument 'compute' is empty`],
  [`keys create '' ${SERVICE}`, `argument 'name' is empty`],
  ["export --from ''", `option '--from <time>' argument is empty`],
  ["local --folder ''", `option '--folder <folder>' argument is empty`],
  ['status --config dormouse.yaml --config other.yaml', `option '--config <file>' is given twice`],
  ['computes create p --branch br-1 --branch br-2', `option '--branch <id>' is given twice`],
  ['status --url nonsense', '--url: expected an http or https address such as http://127.0.0.1:9478'],
  [
    'status --url http://dormouse.example.com',
    '--url: expected https, as the host is not loopback, or --insecure',
  ],
  [
    'projects list --base-url http://example.com/api/v2 --api-key-file key',
    '--base-url: expected https, as the host is not loopback, or --insecure',
  ],
  [
    'init --output new.yaml --base-url http://example.com/api/v2',
    '--base-url: expected https, as the host is not loopback, or --insecure',
  ],
  ['report --url ftp://one', '--url: expected an http or https address such as http://127.0.0.1:9478'],
  [
    'reload --url http://127.0.0.1:99999',
    '--url: expected an http or https address such as http://127.0.0.1:9478',
  ],
  [
    'status --url http://me:secret@127.0.0.1',
    'a token comes from --token-file or the variable DORMOUSE_TOKEN',
  ],
  [
    `status --url http://${NOBODY} --token-file foreign`,
    'its text has letters that no key has, expected ASCII',
  ],
  [
    `projects list --base-url http://${NOBODY}/api/v2 --api-key-file foreign`,
    'its text has letters that no key has, expected ASCII',
  ],
  ['status --config list', `${join(folder, 'list')}: expected keys and values`],
  ['check-config --config broken', `${join(folder, 'broken')}: line 2, column 1: `],
  ['report --send --week 2026-W01', `option '--send' cannot be used with option '--week <week>'`],
  ['report --send --format csv', `option '--send' cannot be used with option '--format <format>'`],
  ['help nonsense', `unknown command 'nonsense'`],
  ['computes help nonsense', `unknown command 'nonsense'`],
  ['audit --days 0', 'Expected a whole number from 1 to 400.'],
  ['audit --days 999999999999', 'Expected a whole number from 1 to 400.'],
  ['audit --top 0', 'Expected a whole number from 1 to 100000.'],
  [`audit ${SERVICE} --plan gold`, '--plan: expected one of free, launch, scale'],
  [`audit ${SERVICE} --plan toString`, '--plan: expected one of free, launch, scale'],
  [`audit ${SERVICE} --folder key`, `--folder: ${join(folder, 'key')} is a file, expected a folder`],
  ['local --port 70000', 'Expected a whole number from 0 to 65535.'],
  ['local --proxy-port 1.5', 'Expected a whole number from 0 to 65535.'],
  ['local --projects 999999999', 'Expected a whole number from 0 to 100000.'],
  ['local --cache-scale 0', 'Expected a whole number from 1 to 1000000.'],
  ['local --folder key/inside', `--folder: ${join(folder, 'key')} is a file, expected a folder`],
  ['local --past x', 'Expected a length of time from 1d to 180d, such as 60d.'],
  ['local --activity-lag 99999999999d', TIME],
  ['demo --for 99999999999d', TIME],
  ['demo --for 1s --report key', `--report: ${join(folder, 'key')} is a file, expected a folder`],
  ['init --output new.yaml --plan gold', '--plan: expected one of free, launch, scale'],
  [`init --output new.yaml --base-url http://${NOBODY}/api/v2 --api-key-file none`, 'there is no such file'],
  ['init --output none/new.yaml', `--output: there is no folder ${join(folder, 'none')}`],
  ['init --output key/new.yaml', `--output: there is no folder ${join(folder, 'key')}`],
  ['init --output data --force', `--output: ${join(folder, 'data')} is a folder, expected a file`],
])('%s is refused', async (line, says) => {
  const { code, out, err } = await dormouse(given(line), { cwd: folder })
  expect([code, out, err.split('\n')]).toEqual([2, '', [expect.stringContaining(says), '']])
  expect(err).not.toContain('secret')
  expect(readdirSync(folder)).toEqual(before)
})

test('a plain option may come twice', async () => {
  const { code, err } = await dormouse(given('check-config --json --json'), { cwd: folder })
  expect([code, err]).toEqual([0, ''])
})

test.each([
  ['local --delay 5s', '--delay: expected -1 (never), 0 (default) or 60 to 604800 seconds, got 5'],
  ['local --plan free --cu 8', '--cu: the free plan allows at most 0.25 CU, got 8'],
])('%s is refused before anything is made', async (line, says) => {
  const { code, out, err } = await dormouse(given(line), { cwd: folder })
  expect([code, out, err]).toEqual([2, '', `dormouse: ${says}\n`])
  expect(readdirSync(folder)).toEqual(before)
})

test('the heap is kept small once the modules of a command are loaded, before the command runs', async () => {
  const order: string[] = []
  const io = {
    ...createRedactor(),
    out: () => void order.push('command'),
    err: () => void order.push('error'),
    env: {},
    cwd: folder,
    signal: new AbortController().signal,
    columns: undefined,
  }
  expect(await runProgram(['check-config', '--json'], io, () => void order.push('loaded'))).toBe(0)
  expect(order).toEqual(['loaded', 'command'])
})
