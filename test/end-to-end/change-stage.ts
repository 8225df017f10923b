// One compute of a real local service with a daemon that may change it.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { Client } from 'pg'
import { isoWeekIdOf } from '../../src/calendar/iso-week.ts'
import { createUtc } from '../../src/calendar/zone.ts'
import type { LocalOptions, SeedProject } from '../../src/local/options.ts'
import type { ComputeTruth } from '../../src/local/engine/truth.ts'
import { instant } from '../../src/model/units.ts'
import type { Report } from '../../src/outputs/report/schema.ts'
import type { ChangeJson } from '../../src/outputs/text/change-schema.ts'
import { fieldOf } from '../../src/std/field.ts'
import { sumOf } from '../../src/std/sum.ts'
import { recordingProxy, type RecordedRequest } from '../support/recording-proxy.ts'
import { TOKENS } from './change-support.ts'
import { dormouse, fleetAt, metricsAt, page, setting, until, uriOf } from './support.ts'

export type Stage = AsyncDisposable &
  Readonly<{
    configFile: string
    apiUrl: string
    telemetryUrl: string
    /** Of its owner, without a pooler. */
    uri: string
    /** Sends a change of its owner past the daemon and its proxy. */
    set: (endpoint: object) => Promise<number>
    /** Sends a change of its project past the daemon. */
    setProject: (project: object) => Promise<number>
    /** Announces an update of its project, or moves it. */
    announceUpdate: (at: number) => Promise<void>
    /** When the announced update comes; undefined once it has come. */
    updateAt: () => Promise<unknown>
    truth: () => ComputeTruth
    /** Changes that took effect. */
    mutations: () => ComputeTruth['mutations']
    /** What the daemon asked of the service, other than GET. */
    sent: readonly RecordedRequest[]
    /** Waits until the daemon has seen it awake. */
    isSeenAwake: () => Promise<void>
  }>

/** A verdict needs five readings of a compute that is in use: with the default share of its time they take longer than a test waits. */
const READING = 'deadline: 1s, overhead: 0.2'

/** `lines`: of the configuration. `hasRanges`: whether the plan has sizes that scale; default: yes. `reading`: keys instead of `READING`. */
type StageOptions = Pick<LocalOptions, 'behaviour'> &
  Readonly<{ lines?: string; hasRanges?: boolean; reading?: string }>

export async function stage(
  project: SeedProject,
  { lines = '', hasRanges = true, reading = READING, ...options }: StageOptions = {},
): Promise<Stage> {
  await using stack = new AsyncDisposableStack()
  const world = stack.use(await setting([project], options))
  const { local, configFile, apiUrl, telemetryUrl } = world
  const proxy = stack.use(await recordingProxy(local.baseUrl))
  const configuration = readFileSync(configFile, 'utf8')
    .replace(local.baseUrl, proxy.baseUrl)
    .replace('plan: launch', 'plan: scale')
    .replace('deadline: 1s', reading)
    .replace(
      'service: {',
      `service: { settle: 2s, plan_limits: { scale: { delays: { from: 1s, to: 7d }, has_ranges: ${hasRanges} } },`,
    )
    .replace('server: {', `server: { tokens: ${TOKENS},`)
  writeFileSync(configFile, `${configuration}metrics: { detail: full }\n${lines}`)
  const daemon = stack.use(dormouse(['run', '--config', configFile]))
  const compute = async () => (await fleetAt(apiUrl))?.computes[0]
  const { endpoint_id: id, project_id } = await until('a first pass', () => {
    if (daemon.child.exitCode !== null) throw new Error(`the daemon ended: ${daemon.err()}`)
    return compute()
  })
  const truth = () => {
    const found = local.truth().computes.find(({ endpointId }) => endpointId === id)
    if (!found) throw new Error('it was never started')
    return found
  }
  const uri = await uriOf(local, project_id)
  const projectUrl = `${local.baseUrl}/projects/${project_id}`
  const patch = async (url: string, body: object): Promise<number> => {
    const headers = { authorization: `Bearer ${local.apiKey}`, 'content-type': 'application/json' }
    return (await fetch(url, { method: 'PATCH', headers, body: JSON.stringify(body) })).status
  }
  const open = stack.move()
  return {
    configFile,
    apiUrl,
    telemetryUrl,
    uri,
    set: (endpoint) => patch(`${projectUrl}/endpoints/${id}`, { endpoint }),
    setProject: (changes) => patch(projectUrl, { project: changes }),
    announceUpdate: async (at) => {
      const maintenanceScheduledFor = { [project_id]: new Date(at).toISOString() }
      await patch(`${new URL(local.baseUrl).origin}/_control`, { maintenanceScheduledFor })
    },
    updateAt: async () => {
      const answer = await fetch(projectUrl, { headers: { authorization: `Bearer ${local.apiKey}` } })
      return fieldOf(fieldOf(await answer.json(), 'project'), 'maintenance_scheduled_for')
    },
    truth,
    mutations: () => truth().mutations.filter(({ action }) => action !== 'create'),
    sent: proxy.changes,
    isSeenAwake: async () =>
      void (await until('it is seen awake', async () => (await compute())?.state === 'active' || undefined)),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Waits until the metric with all of these labels is `value`. Metrics follow the journal by up to one pass. */
export async function metricIs(
  { telemetryUrl }: Pick<Stage, 'telemetryUrl'>,
  value: number,
  name: string,
  ...labels: readonly string[]
): Promise<void> {
  await until(`${name} ${labels.join(' ')} is ${value}`, async () => {
    const found = [...(await metricsAt(telemetryUrl))].find(
      ([line]) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)),
    )
    return found?.[1] === value || undefined
  })
}

/**
 * Waits until the metrics of what changes of size did are what the truth of the service says: restarts without an open session, and direct
 * sessions that were cut.
 *
 * @param done changes of size that ended `done`
 */
export async function expectTrueRestartMetrics(
  { telemetryUrl, truth }: Pick<Stage, 'telemetryUrl' | 'truth'>,
  done: number,
): Promise<void> {
  const stops = truth().stops.filter(({ why }) => why === 'config' || why === 'restart-call')
  const avoided = done - stops.filter(({ open }) => open > 0).length
  const interrupted = sumOf(stops, ({ open, open_pooled: pooled }) => open - pooled)
  await until(`${avoided} restarts avoided and ${interrupted} sessions interrupted`, async () => {
    const metrics = await metricsAt(telemetryUrl)
    const [, counted] =
      [...metrics].find(([line]) => line.startsWith('dormouse_connections_interrupted_total{')) ?? []
    const isTrue = metrics.get('dormouse_restarts_avoided_total') === avoided && counted === interrupted
    return isTrue ? true : undefined
  })
}

/** Changes in the report about the week in which one ended. */
export async function reported({ apiUrl }: Stage, ended: ChangeJson['ended']): Promise<Report['changes']> {
  const week = isoWeekIdOf(instant(Date.parse(ended?.at ?? '')), createUtc())
  const { text } = await page(`${apiUrl}/api/v1/report?week=${week}`)
  return (JSON.parse(text) as Report).changes
}

export async function connected(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const pause = (seconds: number) => once(AbortSignal.timeout(1000 * seconds), 'abort')

async function visit(uri: string): Promise<void> {
  const client = await connected(uri)
  await client.query('select 1')
  await client.end()
}

/** A client that comes, asks and leaves every second, until it pauses; where it is cut off it comes again. */
export function bursts(uri: string): { readonly pause: () => Promise<void> } {
  const over = new AbortController()
  const working = (async () => {
    while (!over.signal.aborted) {
      await visit(uri).catch(() => undefined)
      await pause(1)
    }
  })()
  return {
    pause: () => {
      over.abort()
      return working
    },
  }
}
