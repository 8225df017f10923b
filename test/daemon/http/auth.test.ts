import { createHash } from 'node:crypto'
import { Hono, type Context } from 'hono'
import { expect, test } from 'vitest'
import { authMiddleware, type AuthPolicy } from '../../../src/daemon/http/auth.ts'
import { createFailedLogins, parseTokens } from '../../../src/daemon/http/auth.ts'
import { authPolicyOf } from '../../../src/daemon/http/listeners.ts'
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
  const options = { names: [], tokens: TOKENS, open: true, ...policy }
  for (const each of authMiddleware({
    policy: () => options,
    attempts: createFailedLogins(clock),
    addressOf,
  }))
    app.use(each)
  app.all('*', async (context) => context.text(await context.req.text()))
  type Asked = { method?: string; token?: string; host?: string; from?: string; body?: string }
  const ask = ({ method = 'GET', token, host = 'localhost:9478', from = 'one', body }: Asked) =>
    app.request('/', {
      method,
      headers: {
        host,
        'x-test-address': from,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body }),
    })
  return { clock, ask, status: async (asked: Asked) => (await ask(asked)).status }
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
] as const)('%s', async (_, guarded, asked, status) => {
  expect(await server(guarded).status(asked)).toBe(status)
})

test('the digest of a token is not the token', async () => {
  expect(await server().status({ token: sha256('look') })).toBe(401)
})

test('after five wrong tokens in a minute an address waits, and no other', async () => {
  const { ask, status, clock } = server()
  for (let index = 0; index < 5; index += 1) {
    expect(await status({ token: `guess-${index}` })).toBe(401)
    await clock.advance(seconds(2))
  }
  const refused = await ask({ token: 'open-sesame' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '50'])
  expect(await status({ token: 'open-sesame', from: 'two' })).toBe(200)
  expect(await status({})).toBe(200)
  await clock.advance(seconds(50))
  expect(await status({ token: 'open-sesame' })).toBe(200)
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

test('a body of more than 64 KiB is refused', async () => {
  const { status } = server()
  const post = { method: 'POST', token: 'open-sesame' }
  expect(await status({ ...post, body: 'x'.repeat(65_536) })).toBe(200)
  expect(await status({ ...post, body: 'x'.repeat(65_537) })).toBe(413)
})

test.each([
  ['127.0.0.1', true, {}, true],
  ['10.0.0.1', false, { a: { sha256: sha256('a'), scope: 'read' } }, false],
  ['10.0.0.1', true, {}, true],
  ['10.0.0.1', true, { a: { sha256: sha256('a'), scope: 'read' } }, false],
] as const)('at %s, insecure %s, reading is open or not', (host, insecure, tokens, open) => {
  const api = { host, port: 9478 }
  const guarded = authPolicyOf({ telemetry: api, api, names: [], tokens, insecure })
  expect(guarded).toMatchObject({ open, names: [host] })
})
