// A connection string that comes late, on real Postgres: the compute is suspended meanwhile, and is not woken.
import { openGate } from '../open-gate.ts'
import { rmSync } from 'node:fs'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../src/daemon/clock.ts'
import { createRandom } from '../../../src/daemon/random.ts'
import { createServiceClock, initialAnchor } from '../../../src/daemon/pass/service-clock.ts'
import type { Local } from '../../../src/local/start.ts'
import { startQuickly } from '../../support/start-quickly.ts'
import { seconds } from '../../../src/model/units.ts'
import { askServiceForUri } from '../../../src/observe/reading/address.ts'
import { createReadings } from '../../../src/observe/reading/readings.ts'
import { runReadingRound } from '../../../src/observe/reading/reading-round.ts'
import { look } from '../../../src/observe/look.ts'
import { createServiceTime } from '../../../src/service/http/server-time.ts'
import { createService } from '../../../src/service/service.ts'
import { until, uriOf } from '../../end-to-end/support.ts'
import { makeFolder } from '../../local/support.ts'
import { accounted } from '../../support/accounted.ts'
import { ledger, prices, sweep } from '../../support/build.ts'

const folder = makeFolder()
let local: Local

beforeAll(async () => {
  local = await startQuickly({
    folder,
    projects: [{ name: 'one', suspendTimeoutSeconds: 300 }],
    lastActiveLag: 0,
    wakeLatency: { min: 0, max: 0 },
  })
})
afterAll(async () => {
  await local.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a compute that is suspended while its connection string is fetched is not woken', async () => {
  const clock = createClock()
  const { signal } = new AbortController()
  const time = createServiceTime(clock)
  const service = createService({
    baseUrl: local.baseUrl,
    readKey: () => ({ ok: true, value: local.apiKey }),
    clock,
    random: createRandom(),
    requestsPerMinute: 350,
    projects: 'discover',
    useConnectionUri: true,
    onRequest: (report) => time.record(report),
  })
  const truth = await until('the compute', () => local.truth().computes[0])
  const ref = { account: 'main', projectId: truth.projectId, endpointId: truth.endpointId }
  const serviceClock = createServiceClock({ clock, serviceTime: time }, initialAnchor(ledger(), clock))
  const client = new Client({ connectionString: await uriOf(local, truth.projectId) })
  await client.connect()
  // The first start shows as activity too, and records are in whole seconds.
  const seen = await until('activity after the start', async () => {
    await client.query('select 1')
    const looked = await look({ clock: serviceClock, service }, ref, signal)
    if (!looked.ok) return undefined
    const { lastActive = 0, startedAt = 0 } = looked.value.compute
    return lastActive > startedAt ? looked.value : undefined
  })
  await client.end()
  expect(seen.compute.state).toBe('active')
  // Seen half a minute ago, as in a sweep of many projects.
  const swept = { ...seen, askedOn: seconds(seen.askedOn - 30) }
  const wakes = () => local.truth().computes[0]?.wakes.length
  const before = wakes()
  const ask = askServiceForUri(service, { role: 'app_owner', database: 'app' })
  const readings = createReadings({
    clock,
    dsn: undefined,
    hosts: ['localhost'],
    tls: { sslmode: 'disable', sslrootcert: undefined },
    authentication: ['scram-sha-256'],
    password: () => undefined,
    // The request waits for the allowance, or after a 429; the compute is suspended meanwhile.
    ask: async (...asked) => {
      await fetch(`${local.baseUrl}/projects/${truth.projectId}/endpoints/${truth.endpointId}/suspend`, {
        method: 'POST',
        headers: { authorization: `Bearer ${local.apiKey}` },
      })
      await until('the suspension', () => local.truth().computes[0]?.suspends || undefined)
      return ask(...asked)
    },
    database: 'app',
    serviceUsers: ['cloud_admin'],
    deadline: seconds(20),
  })
  const known = accounted(ledger(), sweep(0, { looks: [swept] }), {
    prices,
    overhead: 0.01,
    now: seen.answeredAt,
  })
  const round = await runReadingRound(
    { clock: serviceClock, service, readings, statistics: () => Promise.resolve(new Map()) },
    {
      ledger: known.ledger,
      looks: [swept],
      projectOf: () => undefined,
      plan: {
        mode: 'full',
        activityLag: seconds(1),
        deadline: seconds(0.1),
        minInterval: seconds(0),
        maxConcurrent: 1,
      },
      room: 10,
    },
    { gate: openGate(serviceClock, signal), signal },
  )
  expect(round.readings).toEqual([])
  expect(round.refusals.map(({ refusal }) => refusal.because)).toEqual(['not-active'])
  expect(wakes()).toBe(before)
})
