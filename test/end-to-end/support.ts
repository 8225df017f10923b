// The program as its users run it: child processes, files, loopback.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FleetJson } from '../../src/daemon/http/api/status-json.ts'
import { ownPort } from '../support/ports.ts'
import type { LocalOptions, SeedProject } from '../../src/local/options.ts'
import type { Local } from '../../src/local/start.ts'
import { makeFolder } from '../local/support.ts'
import { PROGRAM_FOLDER } from '../support/folder.ts'
import { startQuickly } from '../support/start-quickly.ts'

const { [PROGRAM_FOLDER]: built } = process.env
const LAUNCHER = join(built ?? join(import.meta.dirname, '../..'), 'src/dormouse.mjs')
const CACHE = built === undefined ? {} : { XDG_CACHE_HOME: join(built, 'cache') }

/** Disposed of, it is ended: a test that fails leaves nothing behind. */
export type Program = AsyncDisposable & {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  /** Resolves with the exit code, or the signal, when it has ended. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

export function dormouse(words: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, [LAUNCHER, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...CACHE, ...env },
  })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text))
  const ended = once(child, 'close').then(() => child.exitCode ?? child.signalCode)
  return {
    child,
    out: () => said.out,
    err: () => said.err,
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Between two questions, ms: each costs a daemon that is asked for its state some milliseconds of work. */
const PAUSE = 400

/** Asks again and again, at most for `seconds`, until the answer is there. */
export async function until<Value>(
  what: string,
  ask: () => Promise<Value | undefined> | Value | undefined,
  seconds = 300,
): Promise<Value> {
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await once(AbortSignal.timeout(PAUSE), 'abort')
  }
  throw new Error(`${what} did not happen within ${seconds} s`)
}

export type Setting = AsyncDisposable & {
  readonly folder: string
  readonly local: Local
  readonly configFile: string
  readonly keyFile: string
  readonly apiUrl: string
  readonly telemetryUrl: string
}

/** A local service with one compute per project and a configuration for a daemon that polls it every second. */
export async function setting(
  projects: readonly SeedProject[],
  { wakeLatency = { min: 0, max: 0 }, behaviour = {} }: Pick<LocalOptions, 'wakeLatency' | 'behaviour'> = {},
): Promise<Setting> {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-end-to-end-'))
  const service = makeFolder()
  const local = await startQuickly({
    folder: service,
    projects,
    allowShortDelays: true,
    wakeLatency,
    behaviour,
    lastActiveLag: 0,
    cacheScale: 64,
  })
  const [telemetry, api] = [await ownPort(), await ownPort()]
  const [configFile, keyFile, passwordFile] = ['dormouse.yaml', 'key', 'password'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  writeFileSync(keyFile, local.apiKey, { mode: 0o600 })
  writeFileSync(passwordFile, local.monitoringPassword, { mode: 0o600 })
  writeFileSync(
    configFile,
    `accounts:
  - name: main
    base_url: ${local.baseUrl}
    api_key_file: ./key
    plan: launch
    dsn: "postgresql://dormouse@127.0.0.1:${local.proxyPort}/{database}?options=endpoint%3D{endpoint_id}&sslmode=disable"
    dsn_password_file: ./password
poll: { interval: 1s, max_age: 5s }
reading: { database: app, min_interval: 5s, activity_lag: 1s, deadline: 1s }
service: { preset: interface, requests_per_minute: 3000 }
server: { telemetry: "127.0.0.1:${telemetry}", api: "127.0.0.1:${api}" }
`,
  )
  return {
    folder,
    local,
    configFile,
    keyFile,
    apiUrl: `http://127.0.0.1:${api}`,
    telemetryUrl: `http://127.0.0.1:${telemetry}`,
    [Symbol.asyncDispose]: async () => {
      await local.stop()
      for (const made of [service, folder]) rmSync(made, { recursive: true, force: true })
    },
  }
}

export async function fleetAt(apiUrl: string): Promise<FleetJson | undefined> {
  try {
    const answer = await fetch(`${apiUrl}/api/v1/computes`)
    return answer.ok ? ((await answer.json()) as FleetJson) : undefined
  } catch {
    return undefined
  }
}

/** A page as text with its status; `0` when nothing listens. */
export async function page(url: string): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const answer = await fetch(url)
    return { status: answer.status, text: await answer.text() }
  } catch {
    return { status: 0, text: '' }
  }
}

/** Metric lines, name with labels → value. */
export async function metricsAt(telemetryUrl: string): Promise<ReadonlyMap<string, number>> {
  const { text } = await page(`${telemetryUrl}/metrics`)
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  )
}

/** A connection string of the owner of the first database of a project. */
export async function uriOf(local: Local, projectId: string): Promise<string> {
  const answer = await fetch(
    `${local.baseUrl}/projects/${projectId}/connection_uri?database_name=app&role_name=app_owner`,
    { headers: { authorization: `Bearer ${local.apiKey}` } },
  )
  const { uri } = (await answer.json()) as { uri: string }
  return uri
}
