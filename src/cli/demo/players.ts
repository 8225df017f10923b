import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../../daemon/random.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { seconds } from '../../model/units.ts'
import { createAsk, projectIds } from './ask.ts'
import { CAST, SHOWN_FOR } from './cast.ts'
import { approveSize, recommendedSize } from './changes.ts'
import { readRecommendations } from './recommendations.ts'
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

type ClientsRun = Omit<DemoRun, 'say'> & {
  /** Whether the recommended size is approved; else that is left to the reader. */
  readonly approves: boolean
}

export async function startClients(stage: StageSet, { clock, signal, watched, approves }: ClientsRun) {
  const { local, api, apiUrl } = stage
  const ask = createAsk(local)
  const ids = await projectIds(ask)
  const random = createRandom()
  await Promise.all(
    CAST.map(async ({ role, delay }) => {
      const id = ids.get(role)
      if (id === undefined) return
      const path = `projects/${id}/connection_uri?database_name=app&role_name=app_owner`
      const { uri } = (await ask(path)) as { uri: string }
      if (role === 'oversized') {
        await watched
        const approval = approves ? approveSize(api, id, { clock, signal }) : undefined
        // on a busy machine no reading may succeed while the first session lasts
        const isOver = async () => (await recommendedSize(apiUrl, id)) !== undefined
        return Promise.all([play(role, uri, { clock, random, signal, isOver }), approval])
      }
      if (delay !== 'never') return play(role, uri, { clock, random, signal })
      await watched
      const recommended = await recommendedRequest(apiUrl, id, { clock, signal })
      await clock.sleep(seconds(SHOWN_FOR), signal)
      if (recommended && !signal.aborted)
        await ask(recommended.path.slice(1), { method: 'PATCH', body: recommended.body })
      return play(role, uri, { clock, random, signal })
    }),
  )
}

/** Request of the first open recommendation of a delay for a project; undefined when `signal` aborts before. */
async function recommendedRequest(
  apiUrl: string,
  projectId: string,
  { clock, signal }: Pick<DemoRun, 'clock' | 'signal'>,
) {
  while (!signal.aborted) {
    // oxlint-disable-next-line no-await-in-loop -- until there is one
    const all = await readRecommendations(apiUrl)
    const found = all?.recommendations.find(
      ({ project_id, kind, state }) => project_id === projectId && kind === 'delay' && state === 'open',
    )
    if (found?.request) return found.request
    // oxlint-disable-next-line no-await-in-loop -- likewise
    await clock.sleep(seconds(1), signal)
  }
  return undefined
}
