import { createHash } from 'node:crypto'
import { Hono, type Context } from 'hono'
import { expect, test } from 'vitest'
import { authMiddleware, type AuthPolicy } from '../../../src/daemon/http/auth.ts'
import { createFailedLogins, parseTokens } from '../../../src/daemon/http/auth.ts'
import { apiPolicyOf, telemetryPolicyOf } from '../../../src/daemon/http/listeners.ts'
import { seconds } from '../../../src/model/units.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const TOKENS = parseTokens({
  anna: { sha256: sha256('open-sesame'), scope: 'operate' },
  board: { sha256: sha256('look'), scope: 'read' },
})

const addressOf = (context: Context): string => context.req.header('x-test-address') ?? 'one'

function server(policy: Partial<AuthPolicy> = {}) {
  const clock = fakeClock()
  const app = new Hono()
  const options = { names: [], allowsAddresses: false, tokens: TOKENS, open: true, ...policy }
  for (const each of authMiddleware({
    policy: () => options,
    attempts: createFailedLogins(clock),
    addressOf,
  }))
    app.use(each)
  app.all('*', async (context) => context.text(await context.req.text()))
  type Asked = {
    method?: string
    token?: string
    host?: string
    from?: string
    body?: string
    site?: string
    url?: string
  }
  const ask = ({ method = 'GET', token, host = 'localhost:9478', from = 'one', body, site, url }: Asked) =>
    app.request(url ?? '/', {
      method,
      headers: {
        host,
        'x-test-address': from,
        ...(site !== undefined && { 'sec-fetch-site': site }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body }),
    })
  const sent = async (headers: Readonly<Record<string, string>>) => {
    const answer = await app.request('/', { method: 'POST', headers: { host: 'localhost:9478', ...headers } })
    return answer.status
  }
  return { clock, ask, sent, status: async (asked: Asked) => (await ask(asked)).status }
}

test.each([
  ['a reader on loopback', { open: true }, {}, 200],
  ['a reader from elsewhere', { open: false }, {}, 401],
  ['a reader from elsewhere with a token', { open: false }, { token: 'look' }, 200],
  ['a reader whose token may do more', { open: false }, { token: 'open-sesame' }, 200],
  ['a reader on loopback with a wrong token', { open: true }, { token: 'guess' }, 401],
  ['a change without a token, on loopback, too', { open: true }, { method: 'POST' }, 401],
  ['a change with a token that reads', { open: true }, { method: 'POST', token: 'look' }, 403],
  ['a change with a wrong token', { open: true }, { method: 'DELETE', token: 'guess' }, 401],
  ['a change with a right one', { open: true }, { method: 'POST', token: 'open-sesame' }, 200],
  ['a change where nobody may', { tokens: TOKENS.slice(1) }, { method: 'POST' }, 403],
  [
    'a change where nobody may, with a token',
    { tokens: TOKENS.slice(1) },
    { method: 'POST', token: 'look' },
    403,
  ],
  ['an empty token', { open: true }, { token: '' }, 401],
  ['a HEAD from elsewhere', { open: false }, { method: 'HEAD' }, 401],
  ['an unknown name', {}, { host: 'evil.example.com' }, 403],
  ['a name that begins like loopback', {}, { host: '127.0.0.1.evil.example.com' }, 403],
  ['no name', {}, { host: '' }, 403],
  ['a known name', { names: ['dormouse.internal'] }, { host: 'Dormouse.internal:443' }, 200],
  ['loopback of IPv6', {}, { host: '[::1]:9478' }, 200],
  ['an address of another machine', {}, { host: '10.0.0.1' }, 403],
  ['a number that is no address', {}, { host: '127.999.999.999' }, 403],
  ['an address where all are known', { allowsAddresses: true }, { host: '10.0.0.1:9477' }, 200],
  ['one of IPv6', { allowsAddresses: true }, { host: '[fd00::1]:9477' }, 200],
  ['a name where addresses are known', { allowsAddresses: true }, { host: 'evil.example.com' }, 403],
  ['no address where all are known', { allowsAddresses: true }, { host: '127.999.999.999' }, 403],
  ['a page of another site', {}, { site: 'cross-site' }, 403],
  ['a page of another site with a token', {}, { site: 'cross-site', token: 'look' }, 403],
  ['a page of its own', {}, { site: 'same-origin' }, 200],
  ['a bookmark', {}, { site: 'none' }, 200],
] as const)('%s', async (_, guarded, asked, status) => {
  expect(await server(guarded).status(asked)).toBe(status)
})

test.each(['', 'Bearer', 'Bearer ', 'Basic dXNlcjpzZWNyZXQ='])(
  'the header %j is no token, not even where the digest of the empty text is configured',
  async (authorization) => {
    const tokens = parseTokens({ empty: { sha256: sha256(''), scope: 'operate' } })
    const { sent } = server({ tokens })
    expect(await sent({ authorization })).toBe(401)
  },
)

test('the digest of a token is not the token', async () => {
  expect(await server().status({ token: sha256('look') })).toBe(401)
})

test('after five wrong tokens in a minute an address waits, and no other', async () => {
  const { ask, status, clock } = server()
  for (let index = 0; index < 5; index += 1) {
    expect(await status({ token: `guess-${index}` })).toBe(401)
    await clock.advance(seconds(2))
  }
  const refused = await ask({ token: 'guess' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '50'])
  expect(await status({ token: 'guess', from: 'two' })).toBe(401)
  expect(await status({})).toBe(200)
  expect(await status({ token: 'open-sesame' })).toBe(200)
  await clock.advance(seconds(50))
  expect(await status({ token: 'guess' })).toBe(401)
  expect(await status({ token: 'guess' })).toBe(429)
})

test('a crowd of addresses does not fill the memory, and the last of it is remembered', () => {
  const attempts = createFailedLogins(fakeClock())
  const guess = (address: string): void => {
    for (let index = 0; index < 5; index += 1) attempts.failed(address)
  }
  for (let index = 0; index <= 10_000; index += 1) guess(`10.0.${index}`)
  expect(attempts.wait('10.0.0')).toBe(0)
  expect(attempts.wait('10.0.10000')).toBe(60)
})

test('a body of 64 KiB is refused', async () => {
  const { status } = server()
  const post = { method: 'POST', token: 'open-sesame' }
  expect(await status({ ...post, body: 'x'.repeat(65_535) })).toBe(200)
  expect(await status({ ...post, body: 'x'.repeat(65_536) })).toBe(413)
})

const READ = { a: { sha256: sha256('a'), scope: 'read' } } as const
const OPERATE = { a: { sha256: sha256('a'), scope: 'operate' } } as const
const METRICS = { a: { sha256: sha256('a'), scope: 'metrics' } } as const
const CONFIGURED = {
  telemetry: { host: '0.0.0.0', port: 9477 },
  api: { host: '127.0.0.1', port: 9478 },
  names: ['Dormouse.internal'],
  tokens: {},
  open: true,
  insecure: false,
  telemetryAuth: { token: false, tls: false },
}
const ELSEWHERE = { host: '10.0.0.1', port: 9478 }

test.each([
  ['on loopback', {}, true],
  ['on loopback, closed', { open: false, tokens: OPERATE }, false],
  ['on loopback with a token that reads', { tokens: READ }, false],
  ['on loopback with a token that operates', { tokens: OPERATE }, true],
  ['on loopback with a token of telemetry', { tokens: METRICS }, true],
  ['elsewhere', { api: ELSEWHERE, tokens: READ }, false],
  ['elsewhere, insecure', { api: ELSEWHERE, insecure: true }, true],
  ['elsewhere, insecure, with a token', { api: ELSEWHERE, insecure: true, tokens: OPERATE }, false],
  ['elsewhere, insecure, with one of telemetry', { api: ELSEWHERE, insecure: true, tokens: METRICS }, true],
] as const)('%s, reading the API is open or not', (_, configured, open) => {
  expect(apiPolicyOf({ ...CONFIGURED, ...configured }).open).toBe(open)
})

const namesOf = ({ names, tokens }: AuthPolicy): unknown => [names, tokens.map(({ name }) => name)]

test('each listener knows its names and the tokens of its scopes', () => {
  const tokens = { ...OPERATE, board: METRICS.a }
  const configured = { ...CONFIGURED, tokens, telemetryAuth: { token: true, tls: false } }
  expect(namesOf(apiPolicyOf(configured))).toEqual([['dormouse.internal', '127.0.0.1'], ['a']])
  expect(namesOf(telemetryPolicyOf(configured))).toEqual([['dormouse.internal', '0.0.0.0'], ['board']])
  expect(telemetryPolicyOf(configured)).toMatchObject({ open: false, allowsAddresses: true })
  expect(telemetryPolicyOf(CONFIGURED).open).toBe(true)
})
