import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../config/loading.ts'
import { dormouse, localCli, words } from '../local-cli.ts'
import { environmentOf } from '../../support/secrets.ts'
import { startSimulated } from '../../support/simulated-service.ts'
import { longTest } from '../../support/tiers.ts'

let service: Awaited<ReturnType<typeof localCli>>
let path = ''
beforeAll(async () => {
  service = await localCli({ projects: [{ name: 'shop', suspendTimeoutSeconds: -1 }] })
  path = join(service.folder, 'dormouse.yaml')
})
beforeEach(() => rmSync(path, { force: true }))
afterAll(() => service[Symbol.asyncDispose]())

test('init says what the key sees and writes a configuration that can be loaded', async () => {
  const { code, out, err } = await service.cli('init --plan scale')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^the key sees 1 project with 1 compute, [01] of them awake\n/)
  expect(out).toContain('grant pg_monitor to dormouse;')
  expect(out).toContain('connection limit 2')
  expect(out).not.toContain(service.local.apiKey)
  expect(readFileSync(path, 'utf8')).not.toContain(service.local.apiKey)
  expect(loadConfig(path, environmentOf({ DORMOUSE_API_KEY: 'k' }))).toMatchObject({
    ok: true,
    value: {
      accounts: [{ baseUrl: service.local.baseUrl, plan: 'scale', key: { from: 'api_key_env' } }],
    },
  })
})

test.each([
  ['init', 'scale', /^the service calls the plan scale_v\d+: the prices are those of scale$/m],
  ['init --plan scale', 'scale', /^the service calls the plan scale_v\d+: the prices are those of scale$/m],
  [
    'init --plan launch',
    'launch',
    /^the service calls the plan scale_v\d+, --plan says launch: spend is computed with the prices of launch$/m,
  ],
])('%s writes the plan %s and names that of the service', async (line, plan, said) => {
  expect(await service.cli(line)).toMatchObject({ code: 0, out: expect.stringMatching(said), err: '' })
  expect(loadConfig(path, environmentOf({ DORMOUSE_API_KEY: 'k' }))).toMatchObject({
    ok: true,
    value: { accounts: [{ plan }] },
  })
})

test('init leaves a file alone unless it is told to replace it', async () => {
  writeFileSync(path, 'mine')
  expect(await service.cli('init')).toEqual({
    code: 2,
    out: '',
    err: `dormouse: ${path} exists already; replace it with --force\n`,
  })
  expect(readFileSync(path, 'utf8')).toBe('mine')
  expect(await service.cli('init --force')).toMatchObject({ code: 0 })
  expect(readFileSync(path, 'utf8')).toContain('accounts:')
})

test('init refuses an address that is none', async () => {
  expect(
    await dormouse(words('init --base-url https://console.example.com'), { cwd: service.folder }),
  ).toEqual({
    code: 2,
    out: '',
    err: 'dormouse: --base-url: expected an http or https address that ends with /api/v2; try https://console.example.com/api/v2\n',
  })
})

test('init names the key file', async () => {
  const keyFile = join(service.folder, 'key')
  writeFileSync(keyFile, service.local.apiKey)
  const { code, out } = await dormouse(
    words(`init --base-url ${service.local.baseUrl} --api-key-file key --json`),
    {
      cwd: service.folder,
    },
  )
  expect([code, JSON.parse(out)]).toEqual([
    0,
    {
      path,
      found: expect.stringMatching(/sees 1 project /),
      next: 'dormouse check-config',
      sql: expect.stringMatching(/create role dormouse/),
    },
  ])
  expect(loadConfig(path, environmentOf({}))).toMatchObject({
    ok: true,
    value: { accounts: [{ key: { from: 'api_key_file' } }] },
  })
})

test('init without a key writes the file and says that the key is the next step', async () => {
  const line = words(`init --base-url ${service.local.baseUrl}`)
  expect(await dormouse(line, { cwd: service.folder })).toEqual({
    code: 0,
    out: expect.stringMatching(
      /^no API key is given: .*\nwrote .*\nnext: set the variable DORMOUSE_API_KEY, then dormouse check-config\n/,
    ),
    err: '',
  })
})

test.each([
  ['init', {}, 2, /^dormouse: --base-url: give the address of the service, which ends with .api.v2\n$/],
  [
    'init --base-url URL',
    { DORMOUSE_API_KEY: 'wrong' },
    1,
    /^dormouse: .* refuses the API key .*; nothing was written\n$/,
  ],
  [
    'init --base-url http://127.0.0.1:1/api/v2',
    { DORMOUSE_API_KEY: 'k' },
    1,
    /ECONNREFUSED.*; nothing was written\n$/,
  ],
])('%s with %j writes no file: exit code %i', async (line, env, code, err) => {
  const ended = await dormouse(words(line.replace('URL', service.local.baseUrl)), {
    env,
    cwd: service.folder,
  })
  expect(ended).toEqual({ code, out: '', err: expect.stringMatching(err) })
  expect(existsSync(path)).toBe(false)
})

test('what init writes is accepted by check-config and once as it is', async () => {
  const env = { DORMOUSE_API_KEY: service.local.apiKey }
  const run = (line: string) => dormouse(words(line), { env, cwd: service.folder })
  expect(await run(`init --base-url ${service.local.baseUrl}`)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^next: dormouse check-config$/m),
  })
  expect(await run('check-config')).toMatchObject({ code: 0, out: expect.stringMatching(/^ok\n/), err: '' })
  expect(await run('once')).toMatchObject({ code: 0, out: expect.stringMatching(/^shop +/m), err: '' })
})

test('init names the organisation', async () => {
  const line = words('init --base-url http://127.0.0.1:1/api/v2 --org-id org-mine')
  expect(await dormouse(line, { cwd: service.folder })).toMatchObject({ code: 0 })
  expect(loadConfig(path, environmentOf({ DORMOUSE_API_KEY: 'k' }))).toMatchObject({
    ok: true,
    value: { accounts: [{ orgId: 'org-mine' }] },
  })
})

longTest('init shows how many projects of many it has read', async () => {
  const many = await startSimulated({
    projects: Array.from({ length: 25 }, (_, index) => ({ name: `shop-${index}` })),
  })
  onTestFinished(() => many.stop())
  const line = words(`init --base-url ${many.baseUrl}`)
  const env = { DORMOUSE_API_KEY: many.apiKey }
  const { code, out, err } = await dormouse(line, { env, cwd: service.folder })
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/^0 of 25 projects read, about \d+ s left\n25 of 25 projects read\n$/),
  })
  expect(out).toMatch(/^the key sees 25 projects with /)
  const json = await dormouse([...line, '--force', '--json'], { env, cwd: service.folder })
  expect(json).toMatchObject({ code: 0, err: '' })
})
