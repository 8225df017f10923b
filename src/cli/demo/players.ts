import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from 'undici'
import { createRandom } from '../../daemon/random.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { seconds } from '../../model/units.ts'
import { CAST, FORGOTTEN_NOTICED } from './cast.ts'
import { ended, startDaemonProcess, type StageSet } from './stage.ts'
import { play } from './workload.ts'

type DemoRun = Readonly<{
  clock: Clock
  signal: AbortSignal
  /** Resolves when somebody watches, or the play is over. */
  watched: Promise<void>
  say: (text: string) => void
}>

/** Restarts a daemon that ended, as an orchestrator would. */
export async function superviseDaemon(stage: StageSet, { signal, clock, say }: Omit<DemoRun, 'watched'>) {
  let child: ChildProcess | undefined
  const stop = () => child?.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  while (!signal.aborted) {
    child = startDaemonProcess(stage)
    // oxlint-disable-next-line no-await-in-loop -- one by one
    await ended(child)
    if (signal.aborted) return
    const last = readFileSync(join(stage.folder, 'daemon.log'), 'utf8').trimEnd().split('\n').at(-1)
    say(`the daemon ended (${child.signalCode ?? child.exitCode}): ${last}; starting it again`)
    // oxlint-disable-next-line no-await-in-loop -- one by one
    await clock.sleep(seconds(1), signal)
  }
}

export async function startClients({ local }: StageSet, { clock, signal, watched }: Omit<DemoRun, 'say'>) {
  const ask = createAsk(local)
  const { projects } = (await ask('projects')) as { projects: readonly { id: string; name: string }[] }
  const random = createRandom()
  await Promise.all(
    CAST.map(async ({ role, delay }) => {
      const id = projects.find(({ name }) => name === role)?.id
      if (id === undefined) return
      const path = `projects/${id}/connection_uri?database_name=app&role_name=app_owner`
      const { uri } = (await ask(path)) as { uri: string }
      if (delay !== 'never') return play(role, uri, { clock, random, signal })
      await watched
      await clock.sleep(seconds(FORGOTTEN_NOTICED.after), signal)
      if (!signal.aborted) await giveDelay(ask, id)
      return play(role, uri, { clock, random, signal })
    }),
  )
}

async function giveDelay(ask: Ask, projectId: string) {
  const path = `projects/${projectId}/endpoints`
  const { endpoints } = (await ask(path)) as { endpoints: readonly { id: string }[] }
  const body = { endpoint: { suspend_timeout_seconds: FORGOTTEN_NOTICED.delay } }
  await Promise.all(endpoints.map(({ id }) => ask(`${path}/${id}`, body)))
}

/** A PATCH if there is a `change`. @throws unless it succeeds */
type Ask = (path: string, change?: unknown) => Promise<unknown>

const createAsk =
  ({ baseUrl, apiKey }: StageSet['local']): Ask =>
  async (path, change) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const { statusCode, body } = await request(`${baseUrl}/${path}`, {
      headers,
      ...(change !== undefined && { method: 'PATCH', body: JSON.stringify(change) }),
    })
    if (statusCode >= 300) throw new Error(`the service answers ${statusCode}: ${await body.text()}`)
    return body.json()
  }
