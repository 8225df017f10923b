// One compute on virtual time, with the whole daemon of its account, and something else that sets it.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { loadWithSource, type Config } from '../../../../src/config/load.ts'
import type { Recommendation } from '../../../../src/model/policy/recommendation.ts'
import { commit } from '../../../../src/model/ports/store.ts'
import { instant, seconds } from '../../../../src/model/units.ts'
import { newComputeEntry } from '../../../../src/ledger/apply-facts.ts'
import { createService } from '../../../../src/service/service.ts'
import { ok } from '../../../../src/std/result.ts'
import { Inside } from '../../../support/inside.ts'
import { createSelfMetrics } from '../../../../src/outputs/metrics/self.ts'
import { startDaemon, type Daemon } from '../../../simulation/changes/daemon.ts'
import { createFuse } from '../../../simulation/changes/fuse.ts'
import { memoryFolder } from '../../../support/folder.ts'
import { memoryStore, newMemory } from '../../../support/memory-store.ts'
import { recommendation } from '../../../support/recommendations.ts'
import { environmentOf } from '../../../support/secrets.ts'
import {
  idsOf,
  startSimulated,
  type Simulated,
  type SimulatedProject,
} from '../../../support/simulated-service.ts'
import { createVirtualClock, localClockOf, type VirtualClock } from '../../../support/virtual-clock.ts'

const SERVICE_URL = 'https://service.test/api/v2'
const START = Date.UTC(2026, 0, 5)
const DAY = 86_400_000
const NEVER = new AbortController().signal
export const IDS = idsOf(0)
export const REF = { account: 'main', projectId: IDS.projectId, endpointId: IDS.endpointId }

export type World = Readonly<{
  clock: VirtualClock
  simulated: Simulated
  /** Requests of the daemon other than GET: when, seconds since the start, and what. */
  sent: readonly Readonly<{ at: number; body: unknown }>[]
  config: Config
  recommendations: () => Promise<readonly Recommendation[]>
  changes: () => ReturnType<ReturnType<typeof memoryStore>['changes']>
  /** Of the outbox. */
  events: () => Promise<readonly Readonly<Record<string, unknown>>[]>
  /** As somebody does who does not ask Dormouse. */
  set: (fields: Readonly<Record<string, number>>) => Promise<void>
  daemon: () => Daemon
  restart: () => Promise<void>
  /** What the service answers to every request; undefined: as always. */
  answerOnly: (status: number | undefined) => void
  /** Virtual seconds. */
  passes: (span: number) => Promise<void>
}>

type Given = Readonly<{
  /** Keys of the only policy. */
  policy: string
  project?: Partial<SimulatedProject>
  recommendations: readonly Partial<Recommendation>[]
}>

/** Awake all the time, unless it is said otherwise: a client each minute for three days. */
const ACTIVITY = Array.from({ length: 3 * 1440 }, (_, minute) => START + 60_000 * minute)

export async function inWorld(
  { policy, project, recommendations }: Given,
  live: (world: World) => Promise<void>,
): Promise<void> {
  const clock = createVirtualClock(START)
  const simulated = await startSimulated({
    projects: [{ name: 'shop', cu: 1, suspendTimeoutSeconds: 300, activity: ACTIVITY, ...project }],
    clock: localClockOf(clock),
    // old enough to be restarted
    since: START - 2 * DAY,
  })
  const memory = newMemory()
  const store = memoryStore(memory)
  const rows = recommendations.map((over) => ({
    kind: 'recommendation' as const,
    recommendation: recommendation({
      ref: REF,
      id: `${IDS.endpointId}.delay.1`,
      openedAt: instant(START),
      confirmedAt: instant(START),
      ...over,
    }),
  }))
  const config = configOf(policy, simulated.apiKey)
  const sent: { at: number; body: unknown }[] = []
  let onlyAnswer: number | undefined
  const fetch = async (request: Request) => {
    if (onlyAnswer !== undefined) return new Response('{}', { status: onlyAnswer })
    if (request.method !== 'GET') sent.push({ at: clock.monotonic(), body: await request.clone().json() })
    return simulated.fetch(request)
  }
  const start = async () => {
    const daemon = await startDaemon({
      fuse: createFuse(),
      clock,
      machine: clock,
      random: { unit: () => 0.5, uuid: () => crypto.randomUUID() },
      config: () => config,
      store: memoryStore(memory),
      fetch,
      read: () => Promise.resolve({ kind: 'failed', failure: 'unreachable', message: '' } as never),
      self: createSelfMetrics(),
      log: pino({ level: 'silent' }),
      applyLoop: undefined,
      published: () => undefined,
      failed: (cause) => {
        throw cause
      },
    })
    if (!daemon) throw new Error('the daemon did not start')
    return daemon
  }
  const scene = async () => {
    await commit(store.account('main'), [
      { kind: 'compute', entry: await entryOf(simulated, clock) },
      ...rows,
    ])
    let daemon = await start()
    const world: World = {
      clock,
      simulated,
      sent,
      config,
      recommendations: () => Array.fromAsync(store.recommendations('main', {})),
      changes: () => store.changes('main', { count: 99 }),
      events: async () =>
        (await store.eventsAfter('main', 0, 1000)).map(({ event }) => event as Record<string, unknown>),
      set: async (fields) => {
        const path = `projects/${IDS.projectId}/endpoints/${IDS.endpointId}`
        const answer = await simulated.fetch(
          new Request(`${SERVICE_URL}/${path}`, {
            method: 'PATCH',
            headers: { authorization: `Bearer ${simulated.apiKey}`, 'content-type': 'application/json' },
            body: JSON.stringify({ endpoint: fields }),
          }),
        )
        if (!answer.ok && answer.status !== 423) throw new Error(`the service answered ${answer.status}`)
      },
      daemon: () => daemon,
      restart: async () => {
        await daemon.stop()
        daemon = await start()
      },
      answerOnly: (status) => (onlyAnswer = status),
      passes: (span) => clock.sleep(seconds(span), NEVER),
    }
    await live(world)
    await daemon.stop()
  }
  try {
    await clock.run(scene())
  } finally {
    await simulated.stop()
  }
}

/** As the first look at the compute shows it. */
async function entryOf(simulated: Simulated, clock: VirtualClock) {
  const service = createService({
    baseUrl: SERVICE_URL,
    readKey: () => ok(simulated.apiKey),
    clock,
    random: { unit: () => 0.5, uuid: () => '' },
    requestsPerMinute: 6000,
    projects: 'discover',
    dispatcher: new Inside((request) => simulated.fetch(request), clock),
  })
  const listed = await service.listComputes(IDS.projectId, NEVER)
  const compute = listed.ok ? listed.value.items[0] : undefined
  if (!compute) throw new Error('the compute cannot be read')
  const now = instant(START)
  return newComputeEntry(REF, { compute, askedAt: now, answeredAt: now, askedOn: seconds(0) }, true)
}

function configOf(policy: string, apiKey: string): Config {
  const folder = memoryFolder('dormouse-foreign-')
  try {
    const file = join(folder, 'dormouse.yaml')
    const account = `{ name: main, base_url: '${SERVICE_URL}', api_key_env: KEY, plan: scale }`
    const text = `accounts: [${account}]\nreading: { mode: 'off' }\nstore: { folder: '${join(folder, 'data')}' }\npolicies: [{ ${policy} }]\n`
    writeFileSync(file, text)
    const loaded = loadWithSource(file, environmentOf({ KEY: apiKey }))
    if (!loaded.ok) throw new Error(loaded.error.join('\n'))
    return loaded.value.config
  } finally {
    rmSync(folder, { recursive: true })
  }
}
