// What a real Prometheus makes of both formats.
import fc from 'fast-check'
import { Hono } from 'hono'
import { pino } from 'pino'
import { expect } from 'vitest'
import { recordRequests } from '../../../src/daemon/http/listeners.ts'
import { createClock } from '../../../src/daemon/clock.ts'
import { createExposition } from '../../../src/daemon/snapshot/exposition.ts'
import { listenHttp } from '../../../src/daemon/http/listen.ts'
import { telemetryApp } from '../../../src/daemon/http/telemetry.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { addressText } from '../../../src/config/units.ts'
import { createOwners, NO_OWNER } from '../../../src/model/policy/owner.ts'
import { FACTS } from '../../support/exposed.ts'
import { snapshotOf } from '../../support/fleet-snapshot.ts'
import { testWith } from '../../support/tiers.ts'
import { startPrometheus } from '../../support/prometheus.ts'

/** Whatever a person or a program may call a project; the service sends no halves of characters. */
const names = [
  ...fc.sample(fc.string({ unit: 'grapheme' }), { numRuns: 150, seed: 7 }),
  ...fc.sample(
    fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'n', '{', '}', '=', ',', '\r', '#', ' ') }),
    {
      numRuns: 150,
      seed: 7,
    },
  ),
  'a"} 1\ndormouse_up{x="\\',
]

testWith('prometheus')('Prometheus reads both formats, and every label as it was written', async () => {
  const clock = createClock()
  const self = createSelfMetrics()
  const log = pino({ level: 'silent' })
  const exposition = createExposition(() => FACTS, { self, clock, log })
  const snapshot = snapshotOf(names.length, {
    project: (index) => ({ name: names[index] ?? '' }),
    owners: createOwners([{ match: {}, owner: { ...NO_OWNER, team: 'a"b\\', tier: 'é' } }]),
  })
  await exposition.publish(snapshot)
  const counted = recordRequests({ self, clock })
  const app = telemetryApp({
    exposition,
    clock: { yield: () => Promise.resolve() },
    snapshot: () => snapshot,
    healthy: () => true,
    notReady: () => undefined,
    counted,
  })
  const onlyText = new Hono().all('*', (context) => app.request(context.req.path))
  const anywhere = { host: '127.0.0.1', port: 0 }
  await using open = await listenHttp(app, anywhere, { setting: 'open' })
  await using text = await listenHttp(onlyText, anywhere, { setting: 'text' })
  await using prometheus = await startPrometheus({
    openmetrics: addressText(open.address),
    text: addressText(text.address),
  })
  for (const job of ['openmetrics', 'text']) {
    const found = await prometheus.query(`dormouse_project_info{job="${job}"}`)
    const read = found.map(({ metric }) => [metric['project_id'], metric['project_name'], metric['team']])
    // an empty label is none
    const written = names.map((name, index) => [`project-${index}`, name === '' ? undefined : name, 'a"b\\'])
    expect(new Set(read.map((series) => JSON.stringify(series)))).toEqual(
      new Set(written.map((series) => JSON.stringify(series))),
    )
    expect(read).toHaveLength(written.length)
  }
  const both = await prometheus.query('count by (job) ({__name__=~"dormouse_(compute|project|budget).*"})')
  expect(new Set(both.map(({ value }) => value)).size).toBe(1)
  expect(await prometheus.query('up == 0')).toEqual([])
})
