// What a first start says when something is wrong: one line with the next step, and the exit code.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createEncryptedServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { longTest } from '../support/tiers.ts'
import { dormouse, localCli, words } from './local-cli.ts'

let service: Awaited<ReturnType<typeof localCli>>
/** Answers a web page to every request, with 404 below /missing. */
const website = createServer(({ url = '' }, answer) => {
  answer.writeHead(url.startsWith('/missing') ? 404 : 200, { 'content-type': 'text/html' })
  answer.end('<!doctype html><title>Welcome</title>')
})
let encrypted: Server
beforeAll(async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
  })
  encrypted = createEncryptedServer({ cert, key }, (_, answer) => void answer.end('{}'))
  await new Promise<void>((listening) => encrypted.listen(0, '127.0.0.1', listening))
  service = await localCli({ projects: [] })
  await new Promise<void>((listening) => website.listen(0, '127.0.0.1', listening))
})
afterAll(async () => {
  website.closeAllConnections()
  website.close()
  encrypted.close()
  await service[Symbol.asyncDispose]()
})

const hostOf = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`

const KEY = { DORMOUSE_API_KEY: 'wrong' }

type Case = [what: string, address: string, env: Record<string, string>, code: number, expected: RegExp]

const CASES: Case[] = [
  [
    'a key that is refused',
    'LOCAL',
    KEY,
    1,
    /refuses the API key \(401\): .*; put a valid one where it is read/,
  ],
  ['an address without /api/v2', 'http://127.0.0.1:1', KEY, 2, /; try http:\/\/127\.0\.0\.1:1\/api\/v2$/m],
  ['a web page', 'WEBSITE/api/v2', KEY, 1, /body: not JSON but a web page: check the base address/],
  [
    'an address at which nothing listens',
    'http://127.0.0.1:1/api/v2',
    KEY,
    1,
    /ECONNREFUSED 127\.0\.0\.1:1: nothing listens there; check the base address/,
  ],
  [
    'a host that does not exist',
    'https://nothing.invalid/api/v2',
    KEY,
    1,
    /nothing\.invalid: there is no such host; check the base address|EAI_AGAIN/,
  ],
  [
    'a certificate of an unknown authority',
    'ENCRYPTED/api/v2',
    KEY,
    1,
    /no known authority vouches for its certificate; name the authority's file in the variable NODE_EXTRA_CA_CERTS/,
  ],
  ['an unknown path', 'WEBSITE/missing/api/v2', KEY, 1, /no such path \(404\): check the base address/],
  ['no key', 'LOCAL', {}, 2, /the variable is not set; the API key comes from --api-key-file or/],
]
/** Cases that take seconds: a connection is tried again before it is given up. */
const SLOW = ['a web page', 'a host that does not exist', 'a certificate of an unknown authority']
const isSlow = ([what]: Case) => SLOW.includes(what)

async function expectLine(...[, address, env, code, expected]: Case): Promise<void> {
  const url = address
    .replace('LOCAL', service.local.baseUrl)
    .replace('WEBSITE', `http://${hostOf(website)}`)
    .replace('ENCRYPTED', `https://${hostOf(encrypted)}`)
  for (const command of ['audit', 'init']) {
    if (command === 'init' && code === 2 && !('DORMOUSE_API_KEY' in env)) continue
    // oxlint-disable-next-line no-await-in-loop -- one command after the other
    const ended = await dormouse(words(`${command} --base-url ${url}`), { env, cwd: service.folder })
    expect(ended).toMatchObject({ code, out: '', err: expect.stringMatching(expected) })
  }
}

test.each(CASES.filter((one) => !isSlow(one)))('%s', expectLine)
longTest.each(CASES.filter(isSlow))('%s', expectLine)

test.each(['audit', 'init'])(
  '%s of a key that sees no projects says what a personal key needs',
  async (command) => {
    const { code, out, err } = await service.cli(command)
    expect(code).toBe(3)
    expect(out + err).toMatch(
      /use a key that sees projects; a personal key must name its organisation: --org-id/,
    )
  },
)

test('a store that is a file names the folder', async () => {
  const file = join(service.folder, 'taken')
  const path = join(service.folder, 'taken.yaml')
  writeFileSync(file, '', { mode: 0o600 })
  const account = { name: 'main', base_url: service.local.baseUrl, api_key_env: 'KEY', plan: 'launch' }
  writeFileSync(path, JSON.stringify({ accounts: [account], store: { folder: file } }))
  const ended = await dormouse(words(`once --config ${path}`), { env: { KEY: service.local.apiKey } })
  expect(ended).toEqual({
    code: 1,
    out: '',
    err: `dormouse: the folder ${file} cannot be used: name one that this user may write to\n`,
  })
})
