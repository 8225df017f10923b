import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toIso } from '../../model/time.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { freePort } from '../../local/proxy/listen.ts'
import { startLocal, type Local } from '../../local/start.ts'
import type { DaemonApi } from '../connect/daemon.ts'
import { CAST } from './cast.ts'
import { demoConfiguration } from './configuration.ts'
import { PAST, limitAtRisk, startForgotten } from './past.ts'
import { EVENTS_PATH, openReceiver, type DemoReceiver } from './receiver.ts'

export type StageSet = AsyncDisposable & {
  readonly folder: string
  readonly local: Local
  /** End of the past, ISO 8601: from then on real Postgres acts. */
  readonly since: string
  readonly receiver: DemoReceiver
  readonly configFile: string
  readonly tokenFile: string
  readonly telemetryUrl: string
  readonly apiUrl: string
  /** Access that may operate. */
  readonly api: DaemonApi
}

/** Seconds, shorter than in reality, so that there is something to see within a minute. */
const WAKE_LATENCY = 0.4
const ACTIVITY_LAG = 1
/** Divides memory: tables of a few megabytes exercise the file cache. */
const CACHE_SCALE = 64

type Props = Readonly<{ token: string; clock: Clock; signal: AbortSignal }>

/** Disposing removes all of it. @throws with what to do if the local service cannot start */
export async function setStage({ token, clock, signal }: Props): Promise<StageSet> {
  await using stack = new AsyncDisposableStack()
  // mode 0700 and a name that did not exist: nobody has put anything in it
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-demo-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  // as root, Postgres runs as another user, who must pass through; the secrets in it are closed
  if (process.getuid?.() === 0) chmodSync(folder, 0o711)
  const local = await startLocal({
    folder: join(folder, 'service'),
    past: PAST,
    projects: CAST.map(({ role, cu, delay }) => ({
      name: role,
      cu,
      suspendTimeoutSeconds: delay === 'never' ? -1 : delay,
    })),
    allowShortDelays: true,
    wakeLatency: { min: WAKE_LATENCY, max: WAKE_LATENCY },
    lastActiveLag: ACTIVITY_LAG,
    cacheScale: CACHE_SCALE,
  })
  stack.defer(() => local.stop())
  const since = toIso(clock.now())
  await startForgotten(local, { clock, signal })
  const receiver = stack.use(await openReceiver(token, () => toIso(clock.now())))
  const [telemetry, api] = [await freePort(), await freePort()]
  const apiUrl = `http://127.0.0.1:${api}`
  const secret = (name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, `${text}\n`, { mode: 0o600 })
    return file
  }
  const configFile = join(folder, 'dormouse.yaml')
  const configuration = demoConfiguration(local, {
    keyFile: secret('api-key', local.apiKey),
    passwordFile: secret('password', local.monitoringPassword),
    receiverFile: secret('receiver', receiver.url + EVENTS_PATH),
    telemetry,
    api,
    activityLag: ACTIVITY_LAG,
    tokenDigest: createHash('sha256').update(token).digest('hex'),
    monthLimit: await limitAtRisk(local),
  })
  writeFileSync(configFile, configuration)
  const open = stack.move()
  return {
    folder,
    local,
    since,
    receiver,
    configFile,
    tokenFile: secret('receiver-token', token),
    telemetryUrl: `http://127.0.0.1:${telemetry}`,
    apiUrl,
    api: { url: apiUrl, token },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** In a process group of its own, because Ctrl-C is meant for the demo, with a channel, so that it ends when the demo is killed. */
export function startDaemonProcess({ configFile, folder }: StageSet): ChildProcess {
  const launcher = join(import.meta.dirname, '../../dormouse.mjs')
  const log = openSync(join(folder, 'daemon.log'), 'a', 0o600)
  const child = spawn(process.execPath, [launcher, 'run', '--config', configFile], {
    stdio: ['ignore', log, log, 'ipc'],
    detached: true,
  })
  closeSync(log)
  return child
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
