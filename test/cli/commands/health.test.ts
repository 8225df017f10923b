import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createEncryptedServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { generate } from 'selfsigned'
import { expect, onTestFinished, test } from 'vitest'
import { DEFAULT_TELEMETRY_URL } from '../../../src/cli/commands/health.ts'
import { configJsonSchema } from '../../../src/config/json-schema.ts'
import { longTest } from '../../support/tiers.ts'
import { dormouse } from '../local-cli.ts'

const LAUNCHER = join(import.meta.dirname, '../../../src/dormouse.mjs')

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Answers as a daemon does: its health and no other path. */
const daemon =
  (status: number): RequestListener =>
  ({ url }, response) =>
    void response.writeHead(url === '/-/healthy' ? status : 404).end('text\n')

test.each([
  [200, 0, 'healthy\n', ''],
  [503, 1, '', 'dormouse: not healthy: URL answers 503\n'],
  [302, 1, '', 'dormouse: not healthy: URL answers 302\n'],
])('a daemon that answers %i', async (status, code, out, err) => {
  const url = `http://127.0.0.1:${await portOf(createServer(daemon(status)))}`
  expect(await dormouse(['health', '--url', `${url}/`])).toEqual({ code, out, err: err.replace('URL', url) })
})

test('a listener whose certificate names another host', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'dormouse.internal' }], {
    keyType: 'ec',
  })
  const server = createEncryptedServer({ cert, key }, daemon(200))
  expect((await dormouse(['health', '--url', `https://127.0.0.1:${await portOf(server)}`])).code).toBe(0)
})

test('no daemon, and an address that is none', async () => {
  expect(await dormouse(['health', '--url', 'http://127.0.0.1:9'])).toEqual({
    code: 1,
    out: '',
    err: 'dormouse: not healthy: no daemon answers at http://127.0.0.1:9 (connect ECONNREFUSED 127.0.0.1:9)\n',
  })
  expect(await dormouse(['health', '--url', 'http://me:secret@127.0.0.1:9'])).toEqual({
    code: 2,
    out: '',
    err: `dormouse: --url: expected an http or https address such as ${DEFAULT_TELEMETRY_URL}\n`,
  })
})

longTest('a daemon that accepts and does not answer', async () => {
  const url = `http://127.0.0.1:${await portOf(createServer(() => undefined))}`
  expect(await dormouse(['health', '--url', url])).toEqual({
    code: 1,
    out: '',
    err: `dormouse: not healthy: no daemon answers at ${url} (no answer within 2 s)\n`,
  })
})

test('the default address is where a daemon listens without configuration', () => {
  const telemetry = configJsonSchema().properties?.['server']?.properties?.['telemetry'] ?? {}
  expect(telemetry).toMatchObject({ default: '0.0.0.0:9477' })
  expect(DEFAULT_TELEMETRY_URL).toBe('http://127.0.0.1:9477')
})

/** Prints the path of each file that a program loads. */
const LISTING = `import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, load) => (console.log(url), load(url, context)) })`

test('loads its client and the command line, and neither configuration, store nor local service', async () => {
  const url = `http://127.0.0.1:${await portOf(createServer(daemon(200)))}`
  const listing = `data:text/javascript,${encodeURIComponent(LISTING)}`
  const run = ['--import', listing, LAUNCHER, 'health', '--url', url]
  const { stdout } = await promisify(execFile)(process.execPath, run)
  const loaded = [...stdout.matchAll(/^file:.*?\/(src|node_modules)\/(.*)$/gm)]
  const packages = loaded
    .filter(([, top]) => top === 'node_modules')
    .map(([, , path = '']) => path.split('/')[0])
  const folders = loaded.filter(([, top]) => top === 'src').map(([, , path = '']) => path.split('/')[0])
  expect([...new Set(packages)]).toEqual(['commander'])
  expect([...new Set(folders)].toSorted((a = '', b = '') => a.localeCompare(b))).toEqual([
    'cli',
    'config',
    'daemon',
    'dormouse.mjs',
    'main.ts',
    'model',
    'std',
  ])
  expect(loaded.length).toBeLessThan(40)
})
