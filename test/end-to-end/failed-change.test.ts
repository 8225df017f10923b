// A change that the service refuses, from the request to the receiver of its team: the daemon, Prometheus and Alertmanager as processes.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'
import { findPrograms, startMonitoring } from '../../src/cli/demo/monitoring/monitoring.ts'
import { createClock } from '../../src/daemon/clock.ts'
import { receiver, type Receiver } from '../outputs/notify/http-receiver.ts'
import { testWith } from '../support/tiers.ts'
import { queryOf, scraped } from '../support/prometheus.ts'
import { dormouse, fleetAt, metricsAt, setting, until, type Setting } from './support.ts'

const TOKEN = 'a-token-of-a-person'
const SHA256 = createHash('sha256').update(TOKEN).digest('hex')

let world: Setting
let ears: Receiver
beforeAll(async () => {
  world = await setting([{ name: 'refused', suspendTimeoutSeconds: 600 }])
  ears = await receiver()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await ears[Symbol.asyncDispose]()
})

/** Passes what only reads, and refuses every change. */
async function refusingProxy(target: string): Promise<AsyncDisposable & { readonly baseUrl: string }> {
  const { origin, pathname } = new URL(target)
  const answer = async ({ method, url = '/', headers }: IncomingMessage, response: ServerResponse) => {
    if (method !== 'GET') {
      response.writeHead(400, { 'content-type': 'application/json' })
      return void response.end('{"message":"not on this plan"}')
    }
    const answered = await fetch(`${origin}${url}`, {
      headers: { authorization: String(headers.authorization) },
    })
    return void response
      .writeHead(answered.status, { 'content-type': 'application/json' })
      .end(await answered.text())
  }
  const server = createServer((asked, response) => {
    answer(asked, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Told = Readonly<{ status: string; labels: Readonly<Record<string, string>> }>
type Payload = Readonly<{ receiver: string; alerts: readonly Told[] }>

/** The first alert of that name. */
function toldOf(name: string): (Told & { readonly receiver: string }) | undefined {
  const payloads = ears.heard.map(({ body }) => JSON.parse(body) as Payload)
  return payloads
    .flatMap(({ alerts, receiver: to }) => alerts.map((alert) => ({ ...alert, receiver: to })))
    .find(({ labels }) => labels['alertname'] === name)
}

/** @returns the id of the change */
async function post(path: string, body: object): Promise<string> {
  const asked = await fetch(`${world.apiUrl}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer: unknown = await asked.json()
  expect({ ok: asked.ok, answer }).toMatchObject({
    ok: true,
    answer: { change: { id: expect.stringMatching(/^ch-/) as string } },
  })
  return (answer as { change: { id: string } }).change.id
}

/** `<kind>/<outcome>` → how many; those without any are absent. */
async function endedChanges(): Promise<Readonly<Record<string, number>>> {
  const named = [...(await metricsAt(world.telemetryUrl))].flatMap(([name, count]) => {
    const [, kind, outcome] = /^dormouse_changes_total\{kind="(\w+)",outcome="(\w+)"\}$/.exec(name) ?? []
    return kind && count > 0 ? [[`${kind}/${outcome}`, count] as const] : []
  })
  return Object.fromEntries(named)
}

testWith('prometheus', 'prometheus-alertmanager')(
  'a change that the service refuses reaches the team of its compute, and is counted over a restart',
  async () => {
    await using proxy = await refusingProxy(world.local.baseUrl)
    writeFileSync(
      world.configFile,
      readFileSync(world.configFile, 'utf8')
        .replace(world.local.baseUrl, proxy.baseUrl)
        .replace('server: {', `server: { tokens: { alice: { sha256: ${SHA256}, scope: operate } },`) +
        'owners: [{ match: {}, team: payments, tier: dev }]\n',
    )
    const programs = findPrograms(process.env['PATH'])
    if (!programs) throw new Error('prometheus or prometheus-alertmanager is missing')
    const tokenFile = join(world.folder, 'receiver-token')
    writeFileSync(tokenFile, 'a-shared-token')
    await using first = dormouse(['run', '--config', world.configFile])
    const compute = await until('a first pass', async () => (await fleetAt(world.apiUrl))?.computes[0])
    await using monitoring = await startMonitoring({
      programs,
      folder: join(world.folder, 'monitoring'),
      jobs: { dormouse: new URL(world.telemetryUrl).host },
      target: { url: ears.url, tokenFile },
      clock: createClock(),
    })
    await scraped(queryOf(monitoring.prometheusUrl), 1)
    expect(toldOf('DormouseChangeFailed')).toBeUndefined()

    await post('changes', { compute: compute.endpoint_id, delay_seconds: 900 })
    const told = await until('the alert', () => toldOf('DormouseChangeFailed'), 60)
    expect(told).toMatchObject({
      status: 'firing',
      receiver: 'payments-oncall',
      labels: {
        severity: 'critical',
        team: 'payments',
        tier: 'dev',
        project_id: compute.project_id,
        endpoint_id: compute.endpoint_id,
        kind: 'delay',
      },
    })

    const proposed = await post('changes', { compute: compute.endpoint_id, max_cu: 1, propose: true })
    await post(`changes/${proposed}/cancel`, {})
    const counted = { 'delay/failed': 1, 'sizing/cancelled': 1 }
    await until('both are counted', async () => isDeepStrictEqual(await endedChanges(), counted) || undefined)
    first.child.kill('SIGKILL')
    await first.ended
    await using _ = dormouse(['run', '--config', world.configFile])
    const again = await until('metrics again', async () => {
      const ended = await endedChanges()
      return Object.keys(ended).length > 0 ? ended : undefined
    })
    expect(again).toEqual(counted)
  },
)
