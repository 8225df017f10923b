// A daemon with accounts of malicious services and one of a well-behaved service, and what the attacks cost it.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownPort } from '../support/ports.ts'
import { fleetAt, page, until } from '../end-to-end/support.ts'
import type { ModeName } from './service.ts'

const LAUNCHER = join(import.meta.dirname, '../../src/dormouse.mjs')

export type Damage = Readonly<{
  /** Largest resident set of the daemon, MiB. */
  rss: number
  /** Longest work of the daemon before an answer of `/-/healthy`, as a share of its work from its start to its first look. */
  health: number
  /** From SIGTERM to the end, seconds. */
  stop: number
  exit: number | null
  /** MiB. */
  store: number
  log: number
  /** 1 where the well-behaved account is observed. */
  passes: number
  /** Computes of it that are shown, and of the others. */
  computes: number
  claimed: number
  metrics: string
  logged: string
}>

type AttackOptions = Readonly<{
  seconds: number
  launcher?: string
  apiKey?: string
  /** Port of the Postgres server behind the computes of the bad accounts. */
  postgres?: number
}>

/** Each mode is an account of its own. */
export async function attack(
  modes: readonly ModeName[],
  { seconds, launcher = LAUNCHER, apiKey = 'canary-0123456789', postgres }: AttackOptions,
): Promise<Damage> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-hostile-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const [good, bad] = [await serve(stack), await serve(stack)]
  const [telemetry, api] = [await ownPort(), await ownPort()]
  writeFileSync(join(folder, 'key'), apiKey)
  writeFileSync(
    join(folder, 'dormouse.yaml'),
    `accounts:
${modes.map((mode, index) => `  - { name: bad-${index}, base_url: "${urlOf(bad, mode)}", api_key_file: ./key, plan: launch${dsnOf(postgres)} }\n`).join('')}\
  - { name: good, base_url: "${urlOf(good, 'normal')}", api_key_file: ./key, plan: launch }
poll: { interval: 1s, max_age: 5s }
service: { requests_per_minute: 1000 }
server: { telemetry: "127.0.0.1:${telemetry}", api: "127.0.0.1:${api}" }
`,
  )
  const daemon = spawn(process.execPath, [launcher, 'run', '--config', join(folder, 'dormouse.yaml')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  stack.defer(() => void ended(daemon, 'SIGKILL'))
  let logged = ''
  daemon.stdout.setEncoding('utf8').on('data', (text: string) => (logged += text))
  daemon.stderr.setEncoding('utf8').on('data', (text: string) => (logged += text))
  const urls = { telemetry: `http://127.0.0.1:${telemetry}`, api: `http://127.0.0.1:${api}` }
  await until(
    'the first look',
    async () => daemon.exitCode ?? ((await goodAccount(urls.api))?.computes || undefined),
  )
  if (daemon.exitCode !== null) throw new Error(`the daemon ended at its start: ${logged.slice(-2000)}`)
  const workOfStart = cpuTime(daemon)
  const health = (await longestWait(urls.telemetry, daemon, seconds)) / workOfStart
  const shown = (await goodAccount(urls.api)) ?? { passes: 0, computes: 0, claimed: 0 }
  const metrics = (await page(`${urls.telemetry}/metrics`)).text
  const rss = peakMemory(daemon)
  const begun = performance.now()
  const exit = await ended(daemon, 'SIGTERM')
  return {
    rss,
    health,
    stop: (performance.now() - begun) / 1000,
    exit,
    store: folderSize(join(folder, 'dormouse-data')) / 2 ** 20,
    log: logged.length / 2 ** 20,
    ...shown,
    metrics,
    logged,
  }
}

const dsnOf = (port: number | undefined): string =>
  port === undefined
    ? ''
    : `, dsn: "postgresql://dormouse@127.0.0.1:${port}/{database}?options=endpoint%3D{endpoint_id}&sslmode=disable", dsn_password_file: ./key`

const urlOf = (port: number, mode: ModeName): string =>
  `http://127.0.0.1:${port}/${encodeURIComponent(mode)}/api/v2`

async function serve(stack: AsyncDisposableStack): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'service.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  stack.defer(() => void ended(child, 'SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return Number(line.toString())
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const end = once(child, 'close')
  child.kill(signal)
  await end
  return child.exitCode
}

async function goodAccount(apiUrl: string) {
  const fleet = await fleetAt(apiUrl)
  const computes = fleet?.computes.filter(({ account }) => account === 'good').length ?? 0
  const account = fleet?.accounts.find(({ account: name }) => name === 'good')
  const claimed = (fleet?.computes.length ?? 0) - computes
  return fleet && { computes, claimed, passes: account?.service === 'ok' ? 1 : 0 }
}

/** Asks every 50 ms. Of the time of a request the daemon has kept it waiting for as long as it worked itself; the rest is other programs. */
async function longestWait(telemetryUrl: string, daemon: ChildProcess, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000
  let longest = 0
  while (performance.now() < end) {
    const [asked, worked] = [performance.now(), cpuTime(daemon)]
    const answer = await fetch(`${telemetryUrl}/-/healthy`, { signal: AbortSignal.timeout(20_000) })
    await answer.text()
    longest = Math.max(longest, Math.min(performance.now() - asked, cpuTime(daemon) - worked))
    await once(AbortSignal.timeout(50), 'abort')
  }
  return longest
}

/** ms, of the main thread, which answers requests; in steps of 10. Source: proc(5), utime and stime of /proc/PID/task/TID/stat. */
function cpuTime({ pid }: ChildProcess): number {
  const [, after = ''] = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')
  const fields = after.split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

function peakMemory({ pid }: ChildProcess): number {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return Infinity
  }
}

const folderSize = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

/** What `promtool check metrics` says; empty where all is well. */
export const checkedByPromtool = (metrics: string): string => {
  try {
    return execFileSync('promtool', ['check', 'metrics'], {
      input: metrics,
      stdio: ['pipe', 'pipe', 'pipe'],
    }).toString()
  } catch (cause) {
    return String(cause)
  }
}
