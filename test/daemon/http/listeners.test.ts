import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get as getPlainly } from 'node:http'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { pino } from 'pino'
import { generate } from 'selfsigned'
import { afterAll, expect, test } from 'vitest'
import { createExposition } from '../../../src/daemon/snapshot/exposition.ts'
import { openListeners } from '../../../src/daemon/http/listeners.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { seconds } from '../../../src/model/units.ts'
import { GOOD, load } from '../../config/loading.ts'
import { NO_PAGES } from '../../support/no-pages.ts'
import { NO_REPORTS } from '../../support/no-reports.ts'
import { FACTS } from '../../support/exposed.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { snapshotOf } from '../../support/fleet-snapshot.ts'
import { NO_HISTORY } from '../../support/no-history.ts'

const folder = mkdtempSync(join(tmpdir(), 'dormouse-listeners-'))
afterAll(() => rmSync(folder, { recursive: true }))
const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]

async function pairOf(name: string): Promise<{ cert: string; key: string }> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], { keySize: 2048 })
  return { cert, key }
}

function configured(server: string) {
  const config = load(`${GOOD}server: { telemetry: "127.0.0.1:0", api: "127.0.0.1:0"${server} }`)
  if (!config.ok) throw new Error(config.error.join('\n'))
  return config.value
}

async function opened(server = '') {
  const config = configured(server)
  const clock = fakeClock()
  const self = createSelfMetrics()
  const log = pino({ level: 'silent' })
  const exposition = createExposition(() => FACTS, { self, clock, log })
  const taken = snapshotOf(1)
  await exposition.publish(taken)
  const listeners = await openListeners(
    () => config,
    {
      telemetry: {
        exposition,
        clock: { yield: () => Promise.resolve() },
        snapshot: () => taken,
        healthy: () => true,
        notReady: () => undefined,
      },
      api: { snapshot: () => taken, history: NO_HISTORY, accounts: () => [], ...NO_REPORTS, ...NO_PAGES },
    },
    { clock, self, log },
  )
  return { clock, listeners }
}

const PATHS = [
  '/metrics',
  '/sd',
  '/-/healthy',
  '/-/ready',
  '/api/v1/status',
  '/api/v1/computes',
  '/api/v1/export',
]

const statuses = (url: string): Promise<number[]> =>
  Promise.all(PATHS.map(async (path) => (await fetch(url + path)).status))

test('a path that a listener does not have is said in JSON', async () => {
  const { listeners } = await opened()
  await using _ = listeners
  for (const url of [listeners.telemetryUrl, listeners.apiUrl]) {
    // oxlint-disable-next-line no-await-in-loop -- two listeners
    const answer = await fetch(`${url}/nowhere`)
    // oxlint-disable-next-line no-await-in-loop -- two listeners
    expect([answer.status, await answer.json()]).toEqual([404, { message: 'nothing at /nowhere' }])
  }
})

test('no route of one listener answers on the other', async () => {
  const { listeners } = await opened()
  await using _ = listeners
  const [telemetry, api] = [await statuses(listeners.telemetryUrl), await statuses(listeners.apiUrl)]
  expect(telemetry).toEqual([200, 200, 200, 200, 404, 404, 404])
  expect(api).toEqual([404, 404, 404, 404, 200, 200, 200])
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Status of `path` with the headers, over TLS that is not checked. */
const statusOf = (url: string, path: string, headers: Readonly<Record<string, string>>): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const ask = url.startsWith('https:') ? get : getPlainly
    ask(url + path, { rejectUnauthorized: false, agent: false, headers }, (answer) => {
      resolve([answer.statusCode, answer.headers['x-content-type-options']])
      answer.resume()
    }).on('error', reject)
  })

test('telemetry answers to addresses, localhost and server.names only, and no page of another site', async () => {
  const { listeners } = await opened(', names: [dormouse.internal]')
  await using _ = listeners
  const asked = (path: string, headers: Readonly<Record<string, string>>) =>
    statusOf(listeners.telemetryUrl, path, headers)
  for (const host of ['127.0.0.1:9477', '10.1.2.3', '[fd00::1]:9477', 'localhost', 'Dormouse.internal:9477'])
    expect(await asked('/metrics', { host })).toEqual([200, 'nosniff'])
  for (const host of ['evil.example.com', '127.0.0.1.evil.example.com'])
    for (const path of ['/metrics', '/sd', '/-/healthy', '/'])
      expect((await asked(path, { host })) as unknown[]).toContain(403)
  expect(await asked('/metrics', { 'sec-fetch-site': 'cross-site' })).toContain(403)
})

const statusWith = async (url: string, path: string, token?: string): Promise<unknown> => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const [status] = (await statusOf(url, path, headers)) as [number]
  return status
}

test('telemetry with a token and TLS: names need a token of its scope, health does not', async () => {
  write(await pairOf('telemetry'))
  const tokens = `tokens: { prom: { sha256: ${sha256('scrape')}, scope: metrics }, anna: { sha256: ${sha256('look')}, scope: read } }`
  const { listeners } = await opened(
    `, ${tokens}, telemetry_auth: { token: true, tls: true }, tls: { cert_file: "${certFile}", key_file: "${keyFile}" }`,
  )
  await using _ = listeners
  const { telemetryUrl, apiUrl } = listeners
  expect([telemetryUrl, apiUrl]).toEqual([expect.stringMatching(/^https:/), expect.stringMatching(/^https:/)])
  for (const path of ['/metrics', '/sd'])
    expect(
      await Promise.all([
        statusWith(telemetryUrl, path),
        statusWith(telemetryUrl, path, 'look'),
        statusWith(telemetryUrl, path, 'scrape'),
      ]),
    ).toEqual([401, 401, 200])
  expect(
    await Promise.all(['/-/healthy', '/-/ready', '/'].map((path) => statusWith(telemetryUrl, path))),
  ).toEqual([200, 200, 200])
  const status = '/api/v1/status'
  expect(
    await Promise.all([
      statusWith(apiUrl, status),
      statusWith(apiUrl, status, 'scrape'),
      statusWith(apiUrl, status, 'look'),
    ]),
  ).toEqual([401, 401, 200])
})

/** The name in the certificate that a new connection is shown. */
const shownName = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    get(`${url}/api/v1/status`, { rejectUnauthorized: false, agent: false }, (answer) => {
      resolve(String((answer.socket as TLSSocket).getPeerCertificate().subject.CN))
      answer.resume()
    }).on('error', reject)
  })

const write = ({ cert, key }: { readonly cert: string; readonly key: string }): void => {
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
}

test('a renewed certificate is shown without a restart, and half a renewal is not', async () => {
  const [old, next] = [await pairOf('old'), await pairOf('new')]
  write(old)
  const { clock, listeners } = await opened(`, tls: { cert_file: "${certFile}", key_file: "${keyFile}" }`)
  await using _ = listeners
  expect(listeners.apiUrl).toMatch(/^https:/)
  expect(listeners.telemetryUrl).toMatch(/^http:/)
  expect(await shownName(listeners.apiUrl)).toBe('old')
  write({ ...old, cert: next.cert })
  await clock.advance(seconds(30))
  expect(await shownName(listeners.apiUrl)).toBe('old')
  write(next)
  await clock.advance(seconds(30))
  expect(await shownName(listeners.apiUrl)).toBe('new')
})

test('a key of another certificate is told at the start', async () => {
  const { cert } = await pairOf('old')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  write({ cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string })
  await expect(opened(`, tls: { cert_file: "${certFile}", key_file: "${keyFile}" }`)).rejects.toThrow(
    /^server\.tls: cert_file and key_file cannot be used: /,
  )
})
