// Commands against an API that wants a token for reading.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createApiApp } from '../../src/daemon/http/app.ts'
import { authMiddleware } from '../../src/daemon/http/auth.ts'
import { createFailedLogins, parseTokens } from '../../src/daemon/http/auth.ts'
import { listenHttp, urlOf } from '../../src/daemon/http/listen.ts'
import { NO_PAGES } from '../support/no-pages.ts'
import { NO_REPORTS } from '../support/no-reports.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { snapshotOf } from '../support/fleet-snapshot.ts'
import { NO_HISTORY } from '../support/no-history.ts'
import { dormouse, words } from './local-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'dormouse-token-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'token'), 'look-at-it\n')

const sha256 = createHash('sha256').update('look-at-it').digest('hex')
const taken = { ...snapshotOf(1), insecure: ['accounts.main'] }

const serve = () =>
  listenHttp(
    createApiApp({
      snapshot: () => taken,
      history: NO_HISTORY,
      accounts: () => [],
      ...NO_REPORTS,
      ...NO_PAGES,
      before: authMiddleware({
        policy: () => ({
          names: [],
          tokens: parseTokens({ board: { sha256, scope: 'read' } }),
          allowsAddresses: false,
          open: false,
        }),
        attempts: createFailedLogins(fakeClock()),
        addressOf: () => 'one',
      }),
    }),
    { host: '127.0.0.1', port: 0 },
    { setting: 'server.api' },
  )

test.each(['status', 'explain ep-0', 'export'])('%s sends the token it is given', async (command) => {
  await using listener = await serve()
  const line = words(`${command} --url ${urlOf(listener.address)}`)
  expect(await dormouse(line)).toMatchObject({ code: 2, out: '', err: 'dormouse: a token is needed\n' })
  expect(await dormouse([...line, '--token-file', 'token'], { cwd: folder })).toMatchObject({
    code: 0,
    err: '',
  })
  expect(await dormouse(line, { env: { DORMOUSE_TOKEN: 'look-at-it' } })).toMatchObject({ code: 0, err: '' })
  expect(await dormouse(line, { env: { DORMOUSE_TOKEN: 'guess' } })).toMatchObject({
    code: 2,
    err: 'dormouse: the token is wrong\n',
  })
})

test('status tells of settings that give up encryption', async () => {
  await using listener = await serve()
  const line = words(`status --url ${urlOf(listener.address)} --token-file token`)
  const { out } = await dormouse(line, { cwd: folder })
  expect(out).toContain('without encryption or authentication: accounts.main\n')
})

test.each([
  [['--token-file', 'nowhere'], /^dormouse: --token-file: the file cannot be read: there is no such file\n/],
  [[], /^dormouse: DORMOUSE_TOKEN: the variable is empty\n/],
])('a token that cannot be had is told before anybody is asked', async (more, err) => {
  const env = { DORMOUSE_TOKEN: '' }
  expect(await dormouse([...words('status --url http://127.0.0.1:1'), ...more], { env })).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(err),
  })
})

test('commands to the daemon need no key of the service, and check-config does', async () => {
  await using listener = await serve()
  writeFileSync(
    join(folder, 'dormouse.yaml'),
    `
accounts: [{ name: main, plan: scale, base_url: 'http://127.0.0.1:1/api/v2', api_key_env: NOT_SET }]
notifications: [{ name: hook, type: webhook, url_env: NOT_SET_EITHER }]
server: { api: '${new URL(urlOf(listener.address)).host}' }
`,
  )
  const token = { cwd: folder, env: { DORMOUSE_TOKEN: 'look-at-it' } }
  expect(await dormouse(['status'], token)).toMatchObject({ code: 0, err: '' })
  const checked = await dormouse(['check-config'], token)
  expect(checked.code).toBe(2)
  expect(checked.err).toContain('accounts[0].api_key_env: the variable is not set')
  expect(checked.err).toContain('notifications[0].url_env: the variable is not set')
})
