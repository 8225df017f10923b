import { gunzipSync } from 'node:zlib'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { recordRequests } from '../../../src/daemon/http/listeners.ts'
import {
  createExposition,
  renderSamples,
  type Exposition,
  type ScrapeRequest,
} from '../../../src/daemon/snapshot/exposition.ts'
import { collectSamples } from '../../../src/outputs/metrics/collect/collect.ts'
import { createRenderer } from '../../../src/outputs/metrics/exposition/renderer.ts'
import type { Samples } from '../../../src/outputs/metrics/exposition/samples.ts'
import { telemetryApp } from '../../../src/daemon/http/telemetry.ts'
import { createSelfMetrics, type SelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { createOwners, NO_OWNER } from '../../../src/model/policy/owner.ts'
import type { Snapshot } from '../../../src/model/output/snapshot.ts'
import { seconds } from '../../../src/model/units.ts'
import { FACTS } from '../../support/exposed.ts'
import { snapshotOf } from '../../support/fleet-snapshot.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const plain: ScrapeRequest = { format: 'text', gzip: false, names: [], projectId: undefined }
const log = pino({ level: 'silent' })

function expositionWith(self: SelfMetrics, clock = fakeClock()) {
  return { clock, exposition: createExposition(() => FACTS, { self, clock, log }) }
}

const textOf = async (exposition: Exposition, scrape: Partial<ScrapeRequest> = {}): Promise<string> => {
  const body = Buffer.concat(await exposition.body({ ...plain, ...scrape }))
  return (scrape.gzip ? gunzipSync(body) : body).toString()
}
/** Without what is another thing in every scrape. */
const steady = (text: string): string[] =>
  text.split('\n').filter((line) => !/^(# .*)?(process|nodejs)_/.test(line))

test('the compressed body equals the plain one in both formats, and OpenMetrics does not change later text', async () => {
  const { exposition } = expositionWith(createSelfMetrics())
  await exposition.publish(snapshotOf(3))
  const before = await textOf(exposition)
  for (const format of ['openmetrics', 'text'] as const) {
    const whole = steady(await textOf(exposition, { format }))
    expect(steady(await textOf(exposition, { format, gzip: true }))).toEqual(whole)
  }
  expect(steady(await textOf(exposition))).toEqual(steady(before))
})

test('waiting work runs after the samples are collected and after each family', async () => {
  const { clock, exposition } = expositionWith(createSelfMetrics())
  await exposition.publish(snapshotOf(3))
  expect(clock.yields()).toBe(1 + collectSamples(snapshotOf(3), FACTS).samples.size)
})

test('a family that cannot be rendered is left out, the others are there', async () => {
  const columns = { labels: [['a', 'ep-a']], values: [1] }
  const samples: Samples = new Map([
    ['compute_spend_total', columns],
    ['compute_file_cache_hits_total', columns],
  ])
  const { families, failed } = await renderSamples(createRenderer(), samples, fakeClock())
  expect(families.map(({ name }) => name)).toEqual(['dormouse_compute_file_cache_hits_total'])
  expect(failed.map(({ key }) => key)).toEqual(['compute_spend_total'])
})

test('a scrape during a rendering gets the state before', async () => {
  const gate = Promise.withResolvers<void>()
  let isBusy = false
  const clock = { ...fakeClock(), yield: () => (isBusy ? gate.promise : Promise.resolve()) }
  const { exposition } = expositionWith(createSelfMetrics(), clock)
  await exposition.publish(snapshotOf(1))
  isBusy = true
  const publishing = exposition.publish(snapshotOf(2))
  expect(await textOf(exposition)).not.toContain('ep-1"')
  gate.resolve()
  await publishing
  expect(await textOf(exposition)).toContain('ep-1"')
})

test.each([
  ['that cannot be read', () => Promise.reject(new Error('no'))],
  ['that hang', () => new Promise<never>(() => undefined)],
])('metrics of the process %s cost a scrape a second and no more', async (_, parts) => {
  const { clock, exposition } = expositionWith({ ...createSelfMetrics(), parts })
  await exposition.publish(snapshotOf(1))
  const scraped = textOf(exposition)
  await clock.advance(seconds(1))
  const text = await scraped
  expect(text).toContain('dormouse_self_metrics_error 1\n')
  expect(text).toContain('dormouse_compute_state{')
  expect(text).not.toContain('process_cpu')
})

test('metrics of the process that can be read are there', async () => {
  const { exposition } = expositionWith(createSelfMetrics())
  expect(await textOf(exposition)).toContain('dormouse_self_metrics_error 0\n')
})

const count = (whole: string): number => whole.match(/^[^#\n]/gm)?.length ?? 0

test('the rendering is measured: its series, and each duplicate', async () => {
  const families: string[] = []
  const error = ({ family }: { readonly family: string }): void => void families.push(family)
  const clock = fakeClock()
  const self = createSelfMetrics()
  const exposition = createExposition(() => FACTS, {
    self,
    clock,
    log: { error, warn: () => undefined },
  })
  const taken = snapshotOf(2)
  await exposition.publish({ ...taken, computes: [...taken.computes, ...taken.computes] })
  await exposition.publish({ ...taken, computes: [...taken.computes, ...taken.computes] })
  const text = await textOf(exposition)
  const [, series] = /^dormouse_series (\d+)$/m.exec(text) ?? []
  const own = await self.parts()
  const ours = await textOf(exposition, { names: own.map(({ name }) => name) })
  expect(Number(series)).toBe(count(text) - count(ours) - 1)
  expect(text).toContain('dormouse_series_duplicate_total{family="compute_info"} 4\n')
  expect(families).toContain('compute_info')
  expect(new Set(families).size).toBe(families.length)
})

test('a cap that is reached is logged once, and the dropped series are counted', async () => {
  const warned: (readonly string[])[] = []
  const self = createSelfMetrics()
  const exposition = createExposition(() => ({ ...FACTS, maxSeries: 100 }), {
    self,
    clock: fakeClock(),
    log: { error: () => undefined, warn: ({ families }) => void warned.push(families) },
  })
  const taken = snapshotOf(10)
  await exposition.publish(taken)
  await exposition.publish(taken)
  expect(warned).toHaveLength(1)
  expect(warned[0]).toContain('compute_working_set_bytes')
  expect(await textOf(exposition)).toContain(
    'dormouse_series_dropped_total{family="compute_working_set_bytes"} 80\n',
  )
})

test('over HTTP: format by Accept, gzip, HEAD, filters, and each answer counted by its route', async () => {
  const self = createSelfMetrics()
  const { clock, exposition } = expositionWith(self)
  const taken = snapshotOf(2)
  await exposition.publish(taken)
  const app = telemetryApp({
    exposition,
    snapshot: () => taken,
    clock: { yield: () => Promise.resolve() },
    healthy: () => true,
    notReady: () => undefined,
    counted: recordRequests({ self, clock }),
  })
  const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5'
  const open = await app.request('/metrics', { headers: { accept, 'accept-encoding': 'gzip' } })
  expect(open.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
  expect(open.headers.get('content-encoding')).toBe('gzip')
  expect(gunzipSync(Buffer.from(await open.arrayBuffer())).toString()).toMatch(/# EOF\n$/)
  const head = await app.request('/metrics', { method: 'HEAD' })
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
    '',
  ])
  const some = await app.request(
    '/metrics?name[]=dormouse_compute_cu_min&name[]=dormouse_computes&project_id=project-1',
  )
  expect((await some.text()).match(/^[^#\n].*$/gm)).toEqual([
    'dormouse_compute_cu_min{project_id="project-1",endpoint_id="ep-1"} 1',
  ])
  await app.request('/nowhere/at-all')
  expect((await app.request('/metrics', { method: 'POST' })).status).toBe(404)
  const text = await textOf(exposition)
  expect(text).toContain('dormouse_http_requests_total{route="/metrics",code="200"} 3\n')
  expect(text).toContain('dormouse_http_requests_total{route="none",code="404"} 2\n')
})

test('a compute whose host is no host name is no discovery target', async () => {
  const hosts = ['ep-0.example.com', 'ep-1.example.com:1/metrics?a=', '']
  const taken = snapshotOf(3, { compute: (index) => ({ host: hosts[index] ?? '' }) })
  const self = createSelfMetrics()
  const { clock, exposition } = expositionWith(self)
  const app = telemetryApp({
    exposition,
    snapshot: () => taken,
    clock: { yield: () => Promise.resolve() },
    healthy: () => true,
    notReady: () => undefined,
    counted: recordRequests({ self, clock }),
  })
  expect(await (await app.request('/sd')).json()).toMatchObject([{ targets: ['ep-0.example.com:5432'] }])
})

test('computes are discovery targets with labels for relabelling', async () => {
  const self = createSelfMetrics()
  const { clock, exposition } = expositionWith(self)
  let taken: Snapshot | undefined
  const app = telemetryApp({
    exposition,
    snapshot: () => taken,
    clock: { yield: () => Promise.resolve() },
    healthy: () => true,
    notReady: () => undefined,
    counted: recordRequests({ self, clock }),
  })
  expect((await app.request('/sd')).status).toBe(503)
  taken = snapshotOf(2, {
    compute: (index) => ({ host: `ep-${index}.example.com` }),
    owners: createOwners([{ match: {}, owner: { ...NO_OWNER, team: 'web', tier: 'prod' } }]),
  })
  const plainly = await app.request('/sd')
  expect(plainly.headers.get('content-type')).toBe('application/json')
  const targets = (await plainly.json()) as unknown[]
  expect(targets).toHaveLength(2)
  expect(targets[1]).toEqual({
    targets: ['ep-1.example.com:5432'],
    labels: {
      __meta_dormouse_project_id: 'project-1',
      __meta_dormouse_project_name: 'one',
      __meta_dormouse_endpoint_id: 'ep-1',
      __meta_dormouse_branch_id: 'br-one',
      __meta_dormouse_region_id: 'local',
      __meta_dormouse_type: 'read_write',
      __meta_dormouse_state: 'idle',
      __meta_dormouse_team: 'web',
      __meta_dormouse_tier: 'prod',
    },
  })
  const zipped = await app.request('/sd', { headers: { 'accept-encoding': 'gzip' } })
  expect(JSON.parse(gunzipSync(Buffer.from(await zipped.arrayBuffer())).toString())).toEqual(targets)
})
