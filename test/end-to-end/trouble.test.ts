import { createServer } from 'node:http'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DatabaseSync } from 'node:sqlite'
import { dormouse, fleetAt, metricsAt, page, setting, until, type Program, type Setting } from './support.ts'

let world: Setting
beforeAll(async () => {
  world = await setting([{ name: 'one', suspendTimeoutSeconds: 600 }])
})
afterAll(() => world[Symbol.asyncDispose]())

async function stopped(program: Program): Promise<void> {
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
}

const requestsOf = async (code: string): Promise<number> =>
  [...(await metricsAt(world.telemetryUrl))]
    .filter(([name]) => name.startsWith('dormouse_api_requests_total') && name.includes(`code="${code}"`))
    .reduce((sum, [, value]) => sum + value, 0)

/** A configuration like the usual one with other text in it. */
function changed(name: string, from: string | RegExp, to: string): string {
  const file = join(world.folder, name)
  writeFileSync(file, readText(world.configFile).replace(from, to))
  return file
}
const readText = (file: string): string => readFileSync(file, 'utf8')

test('a wrong key at the start is one line and exit 1', async () => {
  writeFileSync(join(world.folder, 'wrong'), 'wrong', { mode: 0o600 })
  await using run = dormouse(['run', '--config', changed('wrong.yaml', './key', './wrong')])
  expect(await run.ended).toBe(1)
  expect(run.out()).toBe('')
  expect(run.err()).toMatch(
    /^dormouse: the service refuses the API key \(401\).*account main \(api_key_file\)\n$/,
  )
})

async function expectRefused(_: string, text: string, told: RegExp): Promise<void> {
  const file = join(world.folder, 'bad.yaml')
  writeFileSync(file, text)
  await using run = dormouse(['run', '--config', file])
  expect(await run.ended).toBe(2)
  expect(run.err()).toMatch(told)
}
const unknownKeys = [
  'unknown keys',
  'accounts: []\npol: {}',
  /pol: unknown key, did you mean poll\?/,
] as const
test.each([unknownKeys])('%s is told with its place, and exit 2', expectRefused)
test.each([
  ['broken YAML', 'a: [b', /line 1, column/],
  ['nothing', '', /accounts/],
] as const)('%s is told with its place, and exit 2', expectRefused)

test('a port that is taken and a folder that is held are named, and exit 1', async () => {
  await using run = dormouse(['run', '--config', world.configFile])
  await until('the first pass', () => fleetAt(world.apiUrl))
  await using folder = dormouse(['run', '--config', world.configFile])
  expect(await folder.ended).toBe(1)
  expect(folder.err()).toMatch(/the folder .*dormouse-data is in use by another Dormouse/)
  await using port = dormouse(['run', '--config', changed('port.yaml', /$/, 'store: { folder: ./other }\n')])
  expect(await port.ended).toBe(1)
  expect(port.err()).toMatch(/server.telemetry: 127.0.0.1:\d+ is in use by another program/)
  await stopped(run)
})

test('a key that is revoked while it runs: it stays up, says so, asks and writes nothing, and goes on with a new key', async () => {
  const headers = { authorization: `Bearer ${world.local.apiKey}`, 'content-type': 'application/json' }
  const made = await fetch(`${world.local.baseUrl}/api_keys`, {
    method: 'POST',
    headers,
    body: '{"key_name":"watcher"}',
  })
  const { id, key } = (await made.json()) as { id: number; key: string }
  writeFileSync(join(world.folder, 'watcher'), key)
  await using run = dormouse(['run', '--config', changed('watcher.yaml', './key', './watcher')])
  await until('the first pass', () => fleetAt(world.apiUrl))
  await fetch(`${world.local.baseUrl}/api_keys/${id}`, { method: 'DELETE', headers })
  await until('the refusal', () => (run.out().includes('API key refused') ? true : undefined))
  const [refusals, stored] = [await requestsOf('401'), storedText()]
  expect(await page(`${world.telemetryUrl}/-/ready`)).toEqual({
    status: 503,
    text: 'account main: unauthorized\n',
  })
  expect((await page(`${world.telemetryUrl}/-/healthy`)).status).toBe(200)
  const taken = (await fleetAt(world.apiUrl))?.taken_at
  await until('two passes later', async () => {
    const now = (await fleetAt(world.apiUrl))?.taken_at
    return now && taken && Date.parse(now) - Date.parse(taken) >= 2000 ? now : undefined
  })
  expect(await requestsOf('401')).toBe(refusals)
  expect(storedText()).toBe(stored)
  writeFileSync(join(world.folder, 'watcher'), world.local.apiKey)
  await until('the new key', () => (run.out().includes('API key accepted again') ? true : undefined))
  expect(run.out().match(/API key refused/g)).toHaveLength(1)
  await stopped(run)
  expect(run.out() + run.err()).not.toContain(key)
})

/** All that the store says. */
function storedText(): string {
  const database = new DatabaseSync(join(world.folder, 'dormouse-data', 'dormouse.sqlite'), {
    readOnly: true,
  })
  const rows = database.prepare('select body from compute union all select body from account_value').all()
  database.close()
  return JSON.stringify(rows)
}

test('a service that cannot be reached: not ready, healthy, states unknown, ever fewer requests, and back again', async () => {
  const target = new URL(world.local.baseUrl)
  let broken = false
  const front = createServer((request, response) => {
    if (broken) {
      request.socket.destroy()
      return
    }
    void fetch(new URL(request.url ?? '/', target), {
      headers: { authorization: request.headers.authorization ?? '' },
    }).then(async (answer) =>
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()),
    )
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  const address = front.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await using run = dormouse(['run', '--config', changed('front.yaml', target.host, `127.0.0.1:${port}`)])
  await until('ready', async () =>
    (await page(`${world.telemetryUrl}/-/ready`)).status === 200 ? true : undefined,
  )
  broken = true
  await until('not ready', async () =>
    (await page(`${world.telemetryUrl}/-/ready`)).status === 503 ? true : undefined,
  )
  expect((await page(`${world.telemetryUrl}/-/healthy`)).status).toBe(200)
  await until('unknown states', async () =>
    (await fleetAt(world.apiUrl))?.computes[0]?.state === 'unknown' ? true : undefined,
  )
  expect(run.out()).toContain('service cannot be reached')
  broken = false
  await until('ready again', async () =>
    (await page(`${world.telemetryUrl}/-/ready`)).status === 200 ? true : undefined,
  )
  await stopped(run)
  front.close()
})

test('where there is no Postgres it says where it looked and what to install', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-nothing-'))
  chmodSync(folder, 0o711)
  await using local = dormouse(['local', '--folder', folder, '--json'], {
    PG_BIN: '/nowhere',
    PATH: '/nowhere',
  })
  expect(await local.ended).toBe(1)
  rmSync(folder, { recursive: true })
  expect(local.err()).toMatch(/no Postgres 14 or newer found; looked at .*\/nowhere.*apt install postgresql/)
})
