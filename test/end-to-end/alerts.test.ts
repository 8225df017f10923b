// Alerts, from a real compute to a receiver: the daemon, Prometheus and Alertmanager as processes, with the rules and the routing that
// come with Dormouse. Of the rules only `for` and `keep_firing_for` differ, which are a second; see hasty.ts for the routing.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import { findPrograms, startMonitoring, type Monitoring } from '../../src/cli/demo/monitoring/monitoring.ts'
import { createClock } from '../../src/daemon/clock.ts'
import { receiver, type Receiver } from '../outputs/notify/http-receiver.ts'
import { testWith } from '../support/tiers.ts'
import { queryOf, scraped } from '../support/prometheus.ts'
import { dormouse, fleetAt, page, setting, until, uriOf, type Setting } from './support.ts'

const OWNERS = `owners:
  - { match: { project: crowded }, team: payments, tier: prod }
  - { match: {}, team: search, tier: dev }
`
const TOKEN = 'a-shared-token'

const NAMES = ['crowded', 'forgotten', 'locked'] as const
type Name = (typeof NAMES)[number]

let world: Setting
let ears: Receiver
beforeAll(async () => {
  world = await setting(NAMES.map((name) => ({ name, suspendTimeoutSeconds: 600 })))
  const written = readFileSync(world.configFile, 'utf8')
  writeFileSync(
    world.configFile,
    written.replace('min_interval: 5s', 'min_interval: 1s, overhead: 0.2') + OWNERS,
  )
  ears = await receiver()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await ears[Symbol.asyncDispose]()
})

/** What Alertmanager sends. */
type Payload = {
  readonly version: string
  readonly receiver: string
  readonly alerts: readonly Told[]
}
type Told = {
  readonly status: 'firing' | 'resolved'
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}
type Heard = Told & {
  readonly message: number
  readonly receiver: string
  readonly version: string
  readonly bearer: unknown
}

/** Every alert in every message so far. */
const heard = (): readonly Heard[] =>
  ears.heard.flatMap(({ headers, body }, message) => {
    const { alerts, receiver: name, version } = JSON.parse(body) as Payload
    const of = { message, receiver: name, version, bearer: headers.authorization }
    return alerts.map((alert) => ({ ...alert, ...of }))
  })

/** Which alert, of which compute. */
type Of = { readonly alertname: string; readonly endpoint_id: string }

const toldOf = ({ alertname, endpoint_id }: Of): readonly Heard[] =>
  heard().filter(({ labels }) => labels['alertname'] === alertname && labels['endpoint_id'] === endpoint_id)

const told = (status: Told['status'], of: Awaited): Promise<Heard> =>
  until(
    `${of.alertname} ${status}`,
    () => toldOf(of).find((one) => one.status === status && one.message >= of.after),
    of.seconds,
  )

/** How many messages there were before, and how long it may take. */
type Awaited = Of & { readonly after: number; readonly seconds: number }

/** A machine that is busy may have raised it before anybody meant to. */
const silent = (of: Of): Promise<true> =>
  until(`${of.alertname} is over`, () => toldOf(of).at(-1)?.status !== 'firing' || undefined)

/** With the one before more than 95 % of the 109 that clients of 0.25 CU may have, and room for a reading and for the service itself. */
const MANY = 104

type Place = { readonly project_id: string; readonly endpoint_id: string }

const placesOf = (): Promise<Readonly<Record<Name, Place>>> =>
  until('a first pass over every compute', async () => {
    const fleet = await fleetAt(world.apiUrl)
    const [crowded, forgotten, locked] = NAMES.map((name) =>
      fleet?.computes.find(({ project_name }) => project_name === name),
    )
    return crowded && forgotten && locked ? { crowded, forgotten, locked } : undefined
  })

/** Clients of one compute; the first of them asks again and again, and so keeps it in use. */
async function crowd({ project_id }: Place, count: number): Promise<AsyncDisposable> {
  const uri = await uriOf(world.local, project_id)
  const clients = Array.from({ length: count }, () => new Client({ connectionString: uri }))
  for (const client of clients) client.on('error', () => undefined)
  await Promise.all(clients.map((client) => client.connect()))
  const over = new AbortController()
  const asking = (async () => {
    while (!over.signal.aborted) {
      await clients[0]?.query('select 1')
      await once(AbortSignal.timeout(200), 'abort')
    }
  })()
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort()
      await asking
      await Promise.all(clients.map((client) => client.end()))
    },
  }
}

async function setDelay({ project_id, endpoint_id }: Place, delay: number): Promise<void> {
  const answer = await fetch(`${world.local.baseUrl}/projects/${project_id}/endpoints/${endpoint_id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${world.local.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: { suspend_timeout_seconds: delay } }),
  })
  expect(answer.status).toBe(200)
}

/** A listener that shows the daemon's metrics to whoever asks, as text, which is what a client gets that wants nothing else. */
async function asText(): Promise<AsyncDisposable & { readonly address: string }> {
  const server = createServer((_, response) => {
    void page(`${world.telemetryUrl}/metrics`).then(({ text }) =>
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function monitoring(jobs: Readonly<Record<string, string>>): Promise<Monitoring> {
  const tokenFile = join(world.folder, 'receiver-token')
  writeFileSync(tokenFile, TOKEN)
  const programs = findPrograms(process.env['PATH'])
  if (!programs) throw new Error('prometheus or prometheus-alertmanager is missing')
  const folder = join(world.folder, 'monitoring')
  const target = { url: ears.url, tokenFile }
  return startMonitoring({ programs, folder, jobs, target, clock: createClock() })
}

/** How an alert is brought about, and whom it must reach. */
type Trial = Of & {
  readonly receiver: string
  readonly labels: Readonly<Record<string, string>>
  /** Resolves with what puts an end to it. */
  readonly provoke: () => Promise<() => Promise<void> | void>
}

function trialsOf({ crowded, forgotten, locked }: Readonly<Record<Name, Place>>): readonly Trial[] {
  return [
    {
      alertname: 'DormouseAutosuspendDisabled',
      endpoint_id: forgotten.endpoint_id,
      receiver: 'nobody',
      labels: { severity: 'info', team: 'search', tier: 'dev', project_id: forgotten.project_id },
      provoke: async () => {
        await setDelay(forgotten, -1)
        return () => setDelay(forgotten, 600)
      },
    },
    {
      alertname: 'DormouseConnectionsAtLimit',
      endpoint_id: crowded.endpoint_id,
      receiver: 'payments-oncall',
      labels: { severity: 'critical', team: 'payments', tier: 'prod', project_id: crowded.project_id },
      provoke: async () => {
        const clients = await crowd(crowded, MANY)
        return () => clients[Symbol.asyncDispose]()
      },
    },
    {
      alertname: 'DormouseReadingStale',
      endpoint_id: locked.endpoint_id,
      receiver: 'search-channel',
      labels: { severity: 'warning', team: 'search', tier: 'dev', project_id: locked.project_id },
      provoke: () => {
        const passwordFile = join(world.folder, 'password')
        const password = readFileSync(passwordFile, 'utf8')
        writeFileSync(passwordFile, 'wrong')
        return Promise.resolve(() => writeFileSync(passwordFile, password))
      },
    },
  ]
}

const monitoredTest = testWith('prometheus', 'prometheus-alertmanager', 'promtool')

monitoredTest('an alert of each severity reaches the receiver of its team, and so does its end', async () => {
  await using stack = new AsyncDisposableStack()
  stack.use(dormouse(['run', '--config', world.configFile]))
  const places = await placesOf()
  // only what is in use is read
  stack.use(await crowd(places.crowded, 1))
  stack.use(await crowd(places.locked, 1))
  await using text = await asText()
  await using open = await monitoring({ dormouse: new URL(world.telemetryUrl).host, text: text.address })
  await scraped(queryOf(open.prometheusUrl), 2)

  const sent = { version: '4', bearer: `Bearer ${TOKEN}` }
  const trials = trialsOf(places)
  const ended: (Of & { readonly after: number; readonly whom: object })[] = []
  for (const { receiver: name, labels, provoke, ...of } of trials) {
    await silent(of)
    const whom = { ...sent, receiver: name, labels }
    const awaited = { ...of, after: ears.heard.length, seconds: ears.heard.length === 0 ? 30 : 60 }
    const end = await provoke()
    expect(await told('firing', awaited)).toMatchObject({
      ...whom,
      annotations: { runbook_url: `dashboards/runbooks/${of.alertname}.md` },
    })
    ended.push({ ...of, whom, after: ears.heard.length })
    await end()
  }
  for (const { whom, ...of } of ended)
    expect(await told('resolved', { ...of, seconds: 60 })).toMatchObject(whom)

  expect(await unitsOf(open.prometheusUrl)).toEqual({ dormouse: 'seconds', text: '' })
  expect(await checked()).toEqual({ status: 0, said: '' })
})

/** Job → the unit that its target told of a metric. Only OpenMetrics tells of units. */
async function unitsOf(prometheusUrl: string): Promise<Readonly<Record<string, string>>> {
  const name = 'dormouse_compute_autosuspend_delay_seconds'
  const { text } = await page(`${prometheusUrl}/api/v1/targets/metadata?metric=${name}`)
  const { data } = JSON.parse(text) as { data: { target: { job: string }; unit: string }[] }
  return Object.fromEntries(data.map(({ target, unit }) => [target.job, unit]))
}

/** What promtool finds wrong with the metrics as they are. */
async function checked(): Promise<{ readonly status: number | null; readonly said: string }> {
  const { text } = await page(`${world.telemetryUrl}/metrics`)
  expect(text).toContain('dormouse_compute_info{')
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: text,
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

monitoredTest('promtool finds nothing wrong with all the metrics there are', async () => {
  const file = join(world.folder, 'full.yaml')
  writeFileSync(
    file,
    `${readFileSync(world.configFile, 'utf8')}metrics: { detail: full }\nstore: { folder: ./full }\n`,
  )
  await using _ = dormouse(['run', '--config', file])
  await placesOf()
  const { text } = await page(`${world.telemetryUrl}/metrics`)
  expect(text).toContain('dormouse_compute_created_timestamp_seconds{')
  expect(await checked()).toEqual({ status: 0, said: '' })
})
