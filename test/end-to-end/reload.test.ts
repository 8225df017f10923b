import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dormouse, fleetAt, metricsAt, page, setting, until, type Setting } from './support.ts'

let world: Setting
/** The configuration as it was made. */
let usual: string
beforeAll(async () => {
  world = await setting([{ name: 'one', suspendTimeoutSeconds: 600 }])
  usual = readFileSync(world.configFile, 'utf8')
})
afterAll(() => world[Symbol.asyncDispose]())

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const tokens = (anna: string): string => `tokens: { anna: { sha256: ${sha256(anna)}, scope: operate } }`

const post = async (token: string) => {
  const answer = await fetch(`${world.apiUrl}/-/reload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const hasSeries = async (part: string): Promise<true | undefined> =>
  (await page(`${world.telemetryUrl}/metrics`)).text.includes(part) || undefined

async function command(
  token: string,
  ...words: string[]
): Promise<{ code: unknown; out: string; err: string }> {
  await using told = dormouse(['reload', '--url', world.apiUrl, ...words], { DORMOUSE_TOKEN: token })
  const code = await told.ended
  return { code, out: told.out(), err: told.err() }
}

test('owners, budgets and tokens are taken over by a running daemon, what needs a restart and what is wrong is not', async () => {
  const written = (anna: string, more = ''): void =>
    writeFileSync(world.configFile, usual.replace('server: {', `server: { ${tokens(anna)},`).concat(more))
  const owned = 'owners: [{ match: {}, team: payments }]\nbudgets: [{ name: all, limit: 5 USD, per: day }]\n'
  written('first')
  await using run = dormouse(['run', '--config', world.configFile])
  await until('the first pass', () => fleetAt(world.apiUrl))
  const hashOf = async (): Promise<string | undefined> =>
    /config_info\{hash="(\w+)"/.exec((await page(`${world.telemetryUrl}/metrics`)).text)?.[1]
  const before = await until('a digest', hashOf)

  written('second', owned)
  expect((await post('second')).status).toBe(401)
  expect(await command('first')).toEqual({
    code: 0,
    out: 'taken over: owners[0]\ntaken over: server.tokens.anna.sha256\ntaken over: budgets\n',
    err: '',
  })
  expect((await post('first')).status).toBe(401)
  await until('the owner', () => hasSeries('team="payments"'))
  await until('the budget', () =>
    hasSeries('dormouse_budget_limit{budget="all",team="payments",tier="",unit="USD"} 5'),
  )
  expect(await hashOf()).not.toBe(before)

  written('third', `${owned}store: { folder: ./elsewhere }\nlog: { level: silent }\n`)
  const refused = await post('second')
  expect(refused).toMatchObject({
    status: 400,
    body: { problems: ['store.folder: changed; that needs a restart'] },
  })
  expect((await post('third')).status).toBe(401)
  expect((await metricsAt(world.telemetryUrl)).get('dormouse_config_last_reload_successful')).toBe(0)

  written('third', `${owned}pol: {}\nmode: maybe\n`)
  const wrong = await command('second')
  expect(wrong.code).toBe(2)
  expect(wrong.err).toMatch(/nothing was taken over: .*mode: expected one of.*; pol: unknown key/)

  written('fourth', owned)
  run.child.kill('SIGHUP')
  await until('the next', () => hasSeries('dormouse_config_last_reload_successful 1'))
  expect((await post('fourth')).status).toBe(200)
  expect(run.out()).toContain('the configuration was read again')
})

/** The service behind a door: no request is answered before it opens. */
async function doorOf({ local }: Setting) {
  const opened = Promise.withResolvers<void>()
  const target = new URL(local.baseUrl)
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await opened.promise
    const { authorization = '' } = request.headers
    const found = await fetch(new URL(request.url ?? '/', target), { headers: { authorization } })
    response.writeHead(found.status, { 'content-type': 'application/json' }).end(await found.text())
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  return { server, open: opened.resolve, baseUrl: `http://127.0.0.1:${address.port}${target.pathname}` }
}

test('SIGHUP while the daemon waits for the first answer: the file is read again when it has started', async () => {
  const door = await doorOf(world)
  const written = usual.replace(world.local.baseUrl, door.baseUrl)
  writeFileSync(world.configFile, written)
  await using run = dormouse(['run', '--config', world.configFile])
  await once(door.server, 'request')
  writeFileSync(world.configFile, `${written}owners: [{ match: {}, team: payments }]\n`)
  run.child.kill('SIGHUP')
  door.open()
  await until('the other configuration', () => run.out().includes('"changed":["owners[0]"]') || undefined)
  run.child.kill('SIGTERM')
  expect(await run.ended).toBe(0)
  expect(run.err()).toBe('')
  door.server.close()
})
