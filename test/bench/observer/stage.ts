// The stage of the benchmark: one service, every profile once per arm, and a daemon for the arms that are watched.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync, closeSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LocalEvent } from '../../../src/local/log.ts'
import { startLocal, type Local } from '../../../src/local/start.ts'
import { ownPort } from '../../support/ports.ts'
import { uriOf } from '../../end-to-end/support.ts'
import { PROFILES, SCALE } from './schedule.ts'

/** Nobody watches the first two, so that they tell how far twins differ by themselves. */
export const ARMS = ['nobody', 'nobody again', 'off', 'full'] as const
export type Arm = (typeof ARMS)[number]

export type Actor = {
  readonly arm: Arm
  readonly profile: string
  readonly projectId: string
  readonly uri: string
}

export type Watched = { readonly apiUrl: string; stop(): Promise<void> }

/** The autosuspend delay of every compute, s. */
export const DELAY = 300 / SCALE

export async function startService(folder: string, log: (event: LocalEvent) => void): Promise<Local> {
  return startLocal({
    folder: join(folder, 'service'),
    projects: PROFILES.flatMap(({ name }) =>
      ARMS.map((arm) => ({ name: `${name} ${arm}`, suspendTimeoutSeconds: DELAY })),
    ),
    allowShortDelays: true,
    wakeLatency: { min: 0.1, max: 0.1 },
    lastActiveLag: 5 / SCALE,
    cacheScale: 64,
    log,
  })
}

type Projects = { readonly projects: readonly { readonly id: string; readonly name: string }[] }

export async function actorsOf(local: Local): Promise<readonly Actor[]> {
  const headers = { authorization: `Bearer ${local.apiKey}` }
  const answer = await fetch(`${local.baseUrl}/projects?limit=400`, { headers })
  const { projects } = (await answer.json()) as Projects
  const pairs = PROFILES.flatMap(({ name }) => ARMS.map((arm) => [name, arm] as const))
  return Promise.all(
    pairs.map(async ([profile, arm]) => {
      const projectId = projects.find(({ name }) => name === `${profile} ${arm}`)?.id ?? ''
      const uri = (await uriOf(local, projectId)).replace('sslmode=verify-full', 'sslmode=disable')
      return { arm, profile, projectId, uri }
    }),
  )
}

/** A daemon that looks after the computes of one arm, with the defaults of a real one, scaled. */
export async function watch(
  local: Local,
  { folder, actors, arm }: { readonly folder: string; readonly actors: readonly Actor[]; readonly arm: Arm },
): Promise<Watched> {
  const [telemetry, api] = [await ownPort(), await ownPort()]
  const place = join(folder, arm)
  const ids = actors.filter((actor) => actor.arm === arm).map(({ projectId }) => projectId)
  writeFileSync(`${place}.key`, local.apiKey, { mode: 0o600 })
  writeFileSync(`${place}.password`, local.monitoringPassword, { mode: 0o600 })
  writeFileSync(
    `${place}.yaml`,
    `accounts:
  - name: main
    base_url: ${local.baseUrl}
    api_key_file: ${place}.key
    projects: [${ids.join(', ')}]
    plan: launch
    dsn: "postgresql://dormouse@127.0.0.1:${local.proxyPort}/{database}?options=endpoint%3D{endpoint_id}&sslmode=disable"
    dsn_password_file: ${place}.password
poll: { interval: ${60 / SCALE}s, max_age: ${900 / SCALE}s }
reading: { mode: ${arm}, database: app, min_interval: ${300 / SCALE}s, activity_lag: ${60 / SCALE}s, deadline: 1s }
service: { preset: interface, requests_per_minute: ${350 * SCALE} }
server: { telemetry: "127.0.0.1:${telemetry}", api: "127.0.0.1:${api}" }
store: { folder: ${place}.data }
`,
  )
  const child = startDaemon(`${place}.yaml`, `${place}.log`)
  return { apiUrl: `http://127.0.0.1:${api}`, stop: () => stopped(child) }
}

function startDaemon(configFile: string, logFile: string): ChildProcess {
  const launcher = join(import.meta.dirname, '../../../src/dormouse.mjs')
  const log = openSync(logFile, 'a')
  const child = spawn(process.execPath, [launcher, 'run', '--config', configFile], {
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  return child
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
