// Sets the demo up in a folder of its own: the local service, a configuration, the daemon as a process of its own.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../local/compute/ports.ts'
import { startLocal, type Local } from '../../local/start.ts'
import { CAST } from './cast.ts'

export type StageSet = {
  readonly local: Local
  readonly configFile: string
  readonly telemetryUrl: string
  readonly apiUrl: string
}

/** Seconds: what the demo scales down so that there is something to see within a minute. */
const WAKE_LATENCY = 0.4
const ACTIVITY_LAG = 1
/** Divides memory sizes, so that tables of a few megabytes exercise the file cache. */
const CACHE_SCALE = 64

/** @throws with what to do about it when the local service cannot start */
export async function setStage(folder: string): Promise<StageSet> {
  const local = await startLocal({
    folder: join(folder, 'service'),
    projects: CAST.map(({ role, cu, delay }) => ({ name: role, cu, suspendTimeoutSeconds: delay })),
    allowShortDelays: true,
    wakeLatency: { min: WAKE_LATENCY, max: WAKE_LATENCY },
    lastActiveLag: ACTIVITY_LAG,
    cacheScale: CACHE_SCALE,
  })
  const [telemetry, api] = [await freePort(), await freePort()]
  const keyFile = join(folder, 'api-key')
  const passwordFile = join(folder, 'password')
  const configFile = join(folder, 'dormouse.yaml')
  writeFileSync(keyFile, `${local.apiKey}\n`, { mode: 0o600 })
  writeFileSync(passwordFile, `${local.monitoringPassword}\n`, { mode: 0o600 })
  writeFileSync(configFile, configuration(local, { keyFile, passwordFile, telemetry, api }))
  return {
    local,
    configFile,
    telemetryUrl: `http://127.0.0.1:${telemetry}`,
    apiUrl: `http://127.0.0.1:${api}`,
  }
}

type Places = {
  readonly keyFile: string
  readonly passwordFile: string
  readonly telemetry: number
  readonly api: number
}

const configuration = (
  { baseUrl, proxyPort }: Local,
  { keyFile, passwordFile, telemetry, api }: Places,
): string => `
accounts:
  - name: demo
    base_url: ${baseUrl}
    api_key_file: ${keyFile}
    plan: launch
    dsn: "postgresql://dormouse@127.0.0.1:${proxyPort}/{database}?options=endpoint%3D{endpoint_id}&sslmode=disable"
    dsn_password_file: ${passwordFile}
poll: { interval: 1s, max_age: 10s }
reading: { database: app, overhead: 0.05, min_interval: 10s, activity_lag: ${ACTIVITY_LAG}s, deadline: 1s }
service: { preset: interface, requests_per_minute: 3000 }
server: { telemetry: "127.0.0.1:${telemetry}", api: "127.0.0.1:${api}" }
store: { folder: ./dormouse-data }
`

/**
 * The daemon as a child; its log goes into the folder. In a group of its own, because Ctrl-C is meant for the demo, and
 * with a channel, because a daemon whose demo was killed has nothing to do.
 */
export function startDaemonProcess({ configFile }: StageSet, folder: string): ChildProcess {
  const launcher = join(import.meta.dirname, '../../dormouse.mjs')
  const log = openSync(join(folder, 'daemon.log'), 'a', 0o600)
  const child = spawn(process.execPath, [launcher, 'run', '--config', configFile], {
    stdio: ['ignore', log, log, 'ipc'],
    detached: true,
  })
  closeSync(log)
  return child
}

/** Resolves when the process has ended. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
