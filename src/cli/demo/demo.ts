// The whole product on this machine: the local service, clients, and the daemon as a process of its own.
import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { createClock } from '../../daemon/clock.ts'
import { createRandom } from '../../daemon/random.ts'
import type { Clock } from '../../model/ports.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { readFleet } from '../fleet.ts'
import type { ExitCode, Io } from '../io.ts'
import { CAST } from './cast.ts'
import { createScreen } from './screen.ts'
import { ended, setStage, startDaemonProcess, type StageSet } from './stage.ts'
import { summaryOf, summaryText, type Summary } from './summary.ts'
import { play } from './workload.ts'

export type DemoOptions = {
  /** Undefined: until it is interrupted. */
  readonly length: Seconds | undefined
  readonly json: boolean
}

export async function demo({ length, json }: DemoOptions, io: Io): Promise<ExitCode> {
  await using stack = new AsyncDisposableStack()
  const clock = createClock()
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-demo-'))
  chmodSync(folder, 0o711) // as root, Postgres runs as another user, who must pass through; the secrets in it are closed
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const stage = await setStage(folder)
  stack.defer(() => stage.local.stop())

  // An interrupt ends the watching, not yet the play: the summary asks the daemon.
  const over = new AbortController()
  const { signal } = over
  const daemon = superviseDaemon(stage, { folder, signal, clock, say: json ? () => undefined : io.out })
  const clients = startClients(stage, clock, signal).catch((cause: unknown) =>
    io.err(`no clients play: ${String(cause)}`),
  )
  stack.defer(async () => {
    over.abort()
    await Promise.all([daemon, clients])
  })
  if (json) await clock.sleep(length ?? FOR_EVER, io.signal)
  else await watch(stage, { io, clock, length: length ?? FOR_EVER })
  const summary = await summaryNow(stage)
  if (!summary) {
    io.err('the daemon did not answer at the end, so there is no summary')
    return 1
  }
  io.out(json ? JSON.stringify(summary) : summaryText(summary))
  return 0
}

/** A clock cannot sleep longer than this at a time; a demo that is watched for 24 days may end. */
const FOR_EVER = seconds(2_000_000)

type Show = { readonly io: Io; readonly clock: Clock; readonly length: Seconds }

async function watch(stage: StageSet, { io, clock, length }: Show): Promise<void> {
  const screen = createScreen(io, introOf(stage))
  const until = clock.monotonic() + length
  while (!io.signal.aborted && clock.monotonic() < until) {
    // oxlint-disable-next-line no-await-in-loop -- a screen is drawn once a second
    const answer = await readFleet({ url: stage.apiUrl })
    if (answer.ok) screen.show(answer.value)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await clock.sleep(seconds(Math.min(1, until - clock.monotonic())), io.signal)
  }
}

async function summaryNow({ local, apiUrl, telemetryUrl }: StageSet): Promise<Summary | undefined> {
  const answer = await readFleet({ url: apiUrl })
  if (!answer.ok) return undefined
  const fleet = answer.value
  const urls = {
    metrics: `${telemetryUrl}/metrics`,
    api: `${apiUrl}/api/v1/computes`,
    service: local.baseUrl,
  }
  return summaryOf({ fleet, truth: local.truth(fleet.taken_at), urls })
}

const introOf = ({ telemetryUrl, apiUrl, local, configFile }: StageSet): string[] => [
  'Four computes of a service on this machine, each a real Postgres, and Dormouse watching them:',
  ...CAST.map(({ role, delay, about }) => `  ${role.padEnd(8)} sleeps after ${delay} s of silence: ${about}`),
  `look at ${apiUrl}/ in a browser; metrics ${telemetryUrl}/metrics`,
  `service ${local.baseUrl}   configuration ${configFile}`,
]

type Supervision = {
  readonly folder: string
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly say: (text: string) => void
}

/** Starts the daemon again when it ends before the demo does, which is what an orchestrator would do. */
async function superviseDaemon(stage: StageSet, { folder, signal, clock, say }: Supervision): Promise<void> {
  let child: ChildProcess | undefined
  const stop = (): boolean | undefined => child?.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  while (!signal.aborted) {
    child = startDaemonProcess(stage, folder)
    // oxlint-disable-next-line no-await-in-loop -- one daemon after the other
    await ended(child)
    if (signal.aborted) return
    say(`the daemon ended (${child.signalCode ?? child.exitCode}); starting it again`)
    // oxlint-disable-next-line no-await-in-loop -- one daemon after the other
    await clock.sleep(seconds(1), signal)
  }
}

/** One client per compute, each in the manner of its role. */
async function startClients({ local }: StageSet, clock: Clock, signal: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${local.apiKey}` }
  const answer = await request(`${local.baseUrl}/projects`, { headers })
  const { projects } = (await answer.body.json()) as { projects: { id: string; name: string }[] }
  const random = createRandom()
  await Promise.all(
    CAST.map(async ({ role }) => {
      const project = projects.find(({ name }) => name === role)
      if (!project) return
      const path = `projects/${project.id}/connection_uri?database_name=app&role_name=app_owner`
      const { body } = await request(`${local.baseUrl}/${path}`, { headers })
      const { uri } = (await body.json()) as { uri: string }
      await play(role, uri, { clock, random, signal })
    }),
  )
}
