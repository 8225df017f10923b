// A daemon with a canary in every secret of its configuration, among neighbours that repeat them; and all that it shows.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadWithSource } from '../../src/config/load.ts'
import { startDaemon } from '../../src/daemon/daemon.ts'
import { EXPORT_NAMES } from '../../src/daemon/history/export.ts'
import { createLog } from '../../src/daemon/log.ts'
import { REPORT_FORMATS } from '../../src/model/output/report.ts'
import type { Snapshot } from '../../src/model/output/snapshot.ts'
import { createRedactor } from '../../src/std/redactor.ts'
import { dormouse, words } from '../cli/local-cli.ts'
import { until } from '../end-to-end/support.ts'
import { canaryOf, everyEncoding } from './canaries.ts'
import {
  echoingMailServer,
  echoingPostgres,
  echoingReceiver,
  echoingService,
  type Neighbour,
} from './echoing-neighbours.ts'

/** Where secrets are: in the environment, in files, or in files as Kubernetes mounts them, behind two symbolic links. */
export type Place = 'env' | 'file' | 'mount'

const SECRETS = {
  key: canaryOf('key'),
  password: canaryOf('password'),
  signature: canaryOf('signature'),
  mail: canaryOf('mail'),
}
/** Of a client of the API: the daemon has its digest only, and sends it to nobody. */
const TOKEN = canaryOf('token')
/** An address is sent without some of its characters, so its canary has none that would change. */
const ADDRESSES = {
  webhook: '/services/c4nary-webhook-x9Kf',
  chat: '/services/c4nary-chat-x9Kf',
  report: '/services/c4nary-report-x9Kf',
}
export const CANARIES: Readonly<Record<string, string>> = { ...SECRETS, token: TOKEN, ...ADDRESSES }

type Neighbours = Readonly<Record<'service' | 'postgres' | 'hook' | 'mail', Neighbour>>

/** YAML as JSON, and the environment it needs. `port`: of each neighbour. */
export function canariedConfig(place: Place, folder: string, port: (of: keyof Neighbours) => number) {
  const env: Record<string, string> = {}
  const secret = (key: string, name: string, text: string) => {
    if (place === 'env') {
      env[`CANARY_${name}`] = text
      return { [`${key}_env`]: `CANARY_${name}` }
    }
    const data = place === 'mount' ? mountedFolder(folder, name) : ''
    writeFileSync(join(folder, data, `${name}.secret`), `${text}\n`, { mode: 0o600 })
    return { [`${key}_file`]: `${name}.secret` }
  }
  const address = (name: keyof typeof ADDRESSES) =>
    secret('url', name, `http://127.0.0.1:${port('hook')}${ADDRESSES[name]}`)
  const mail = { type: 'smtp', host: '127.0.0.1', port: port('mail'), any_certificate: true, user: 'me' }
  const people = { from: 'dormouse@example.org', to: ['team@example.org'] }
  const hook = { ...address('webhook'), ...secret('secret', 'signature', SECRETS.signature) }
  const mailbox = { ...mail, ...people, ...secret('password', 'mail', SECRETS.mail) }
  const config = {
    accounts: [
      {
        name: 'main',
        base_url: `http://127.0.0.1:${port('service')}/api/v2`,
        plan: 'launch',
        ...secret('api_key', 'key', SECRETS.key),
        dsn: `postgresql://dormouse@127.0.0.1:${port('postgres')}/{database}?options=endpoint%3D{endpoint_id}&sslmode=disable`,
        ...secret('dsn_password', 'password', SECRETS.password),
      },
    ],
    service: { requests_per_minute: 100_000 },
    poll: { interval: '1s' },
    log: { level: 'trace' },
    store: { folder: 'store' },
    server: {
      telemetry: '127.0.0.1:0',
      api: '127.0.0.1:0',
      tokens: {
        ci: { sha256: createHash('sha256').update(TOKEN).digest('hex'), scope: 'operate' },
      },
    },
    notifications: [
      { name: 'hook', type: 'webhook', min_severity: 'info', ...hook },
      { name: 'chat', type: 'slack', ...address('chat') },
      { name: 'mail', ...mailbox },
    ],
    report: {
      sinks: [
        { name: 'hook', type: 'webhook', ...hook },
        { name: 'chat', type: 'slack', ...address('report') },
        { name: 'mail', ...mailbox },
      ],
    },
  }
  return { text: JSON.stringify(config, undefined, 1), env }
}

/** A folder of the data whose link `name.secret` leads to through `..data`, which Kubernetes exchanges when a secret changes. */
function mountedFolder(folder: string, name: string): string {
  const data = '..2026_11_23'
  mkdirSync(join(folder, data), { recursive: true })
  if (!existsSync(join(folder, '..data'))) symlinkSync(data, join(folder, '..data'))
  rmSync(join(folder, `${name}.secret`), { force: true })
  symlinkSync(`..data/${name}.secret`, join(folder, `${name}.secret`))
  return data
}

/** Everything that a daemon shows in its life, and the commands beside it: output → text. */
export async function outputsOfLife(place: Place, folder: string): Promise<Record<string, string>> {
  await using service = await echoingService([
    ...everyEncoding(SECRETS.key),
    Object.values({ ...SECRETS, ...ADDRESSES })
      .flatMap(everyEncoding)
      .join(' '),
  ])
  await using postgres = await echoingPostgres(Object.values(SECRETS).flatMap(everyEncoding))
  await using hook = await echoingReceiver()
  await using mail = await echoingMailServer(everyEncoding(SECRETS.mail))
  const neighbours: Neighbours = { service, postgres, hook, mail }
  const { text, env } = canariedConfig(place, folder, (of) => neighbours[of].port)
  const file = join(folder, 'dormouse.yaml')
  writeFileSync(file, text)
  const outputs: Record<string, string> = {}
  const lines: string[] = []
  const redactor = createRedactor()
  const read = () => loadWithSource(file, { env, learn: redactor.learn })
  const loaded = read()
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const stop = new AbortController()
  const log = createLog('trace', redactor.redact, { write: (line: string) => void lines.push(line) })
  const daemon = await startDaemon({ loaded: loaded.value, read, version: '1', log, redactor }, stop.signal)
  const ended = daemon.run(stop.signal)
  const authorization = `Bearer ${TOKEN}`
  const ask = async (path: string, { method = 'GET', accept = '*/*', base = daemon.apiUrl } = {}) => {
    const answer = await fetch(base + path, { method, headers: { accept, authorization } })
    outputs[`${method} ${path}`] = await answer.text()
  }
  const cli = async (line: string, cwd = folder) => {
    const { out, err } = await dormouse(words(line), { env: { ...env, DORMOUSE_TOKEN: TOKEN }, cwd })
    outputs[`dormouse ${line.replaceAll(daemon.apiUrl, 'URL')}`] = out + err
  }
  try {
    await daemon.firstPass
    await ask('/api/v1/report/send', { method: 'POST' })
    await until(
      'a message to each receiver, and a reading',
      () =>
        hook.heard.length >= 4 && mail.heard.length >= 2 && isRead(daemon.snapshot()) ? true : undefined,
      15,
    )
    await ask('/metrics', { base: daemon.telemetryUrl })
    const paths = ['/api/v1/status', '/api/v1/computes', '/api/v1/computes/ep-0', '/api/v1/explain/ep-0']
    const exports = EXPORT_NAMES.flatMap((what) => [`what=${what}&format=csv`, `what=${what}&format=jsonl`])
    for (const path of [
      ...paths,
      ...exports.map((query) => `/api/v1/export?${query}`),
      ...REPORT_FORMATS.map((format) => `/api/v1/report?format=${format}`),
      '/api/v1/report?kept=true',
      '/api/v1/recommendations',
    ])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await ask(path)
    for (const path of ['/', '/recommendations', '/budgets', '/report', '/computes/ep-0'])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await ask(path, { accept: 'text/html' })
    for (const line of [
      'status',
      'status --json',
      'explain ep-0',
      'export',
      'report',
      'report --kept',
      'recommendations',
      'reload',
    ])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await cli(`${line} --url ${daemon.apiUrl}`)
    for (const line of [
      'projects list',
      'projects list --json',
      'computes list',
      'keys list',
      'check-config',
      'audit',
      'check-service',
      'computes get p-1 ep-1',
    ])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await cli(line)
    writeFileSync(file, text.replace('"launch"', `*${SECRETS.key}`))
    await ask('/-/reload', { method: 'POST' })
    writeFileSync(file, text)
  } finally {
    stop.abort()
    await ended
  }
  for (const line of ['status', 'explain ep-0', 'export', 'report --kept --format json'])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await cli(`${line} --config dormouse.yaml`)
  return {
    ...outputs,
    ...storedIn(join(folder, 'store')),
    log: lines.join(''),
    messages: [...hook.heard, ...mail.heard].join('\n'),
  }
}

/** Whether the answer of the Postgres server has arrived. */
const isRead = (snapshot: Snapshot | undefined) =>
  snapshot?.computes.some(({ reading }) => reading.problem !== undefined) === true

/** Reports in it are compressed: `report --kept` shows them. */
const storedIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [`store ${name}`, readFileSync(join(folder, name), 'utf8')]),
  )
