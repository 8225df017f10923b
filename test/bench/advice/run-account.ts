// The daemon's own account runner, adviser included, over the simulated service and a store on disk, on virtual time.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { loadWithSource, type AccountConfig } from '../../../src/config/load.ts'
import { createAccountRunners } from '../../../src/daemon/accounts/account-runners.ts'
import { createPorts } from '../../../src/daemon/accounts/ports.ts'
import { passInterval, runLoop, type LoopTurn } from '../../../src/daemon/loop.ts'
import type { SimulatedEvent } from '../../../src/local/control/simulation/simulation.ts'
import type { Readings } from '../../../src/model/ports/readings.ts'
import type { AccountStore } from '../../../src/model/ports/store.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { openEmbeddedStore, type OpenedStore } from '../../../src/store/sqlite/embedded.ts'
import { seeded } from '../../simulation/seeded.ts'
import { memoryFolder } from '../../support/folder.ts'
import { Inside } from '../../support/inside.ts'
import { environmentOf, noRedactor } from '../../support/secrets.ts'
import { startSimulated, type Simulated } from '../../support/simulated-service.ts'
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts'
import type { LifeOfCompute } from './lives.ts'
import { runningAccount, SERVICE_URL, type RunningAccount } from './running-account.ts'

/** A Monday, like the first minute of each series. */
export const START = Date.parse('2026-01-05T00:00:00Z')
export const DAY = 86_400
/** Time between two queries of an active client, seconds. */
const QUERY_EVERY = 30

export type RunOptions = {
  readonly lives: readonly LifeOfCompute[]
  readonly days: number
  /** Whether records show the activity of clients; default true. */
  readonly showsActivity?: boolean
  /** Chance that the daemon is killed after a commit; default 0. */
  readonly kills?: number
  /** Between two passes; default `1m`. */
  readonly interval?: string
  /** Sections of the configuration besides the account. */
  readonly configuration?: string
  /** Whether the sender of changes runs; default false. */
  readonly sendsChanges?: boolean
  /** Further events at the service, each sequence in order of time. */
  readonly scripts?: readonly Iterable<SimulatedEvent>[]
  /** What light readings show; default: computes are not read. */
  readonly readings?: (service: Simulated, clock: VirtualClock) => Readings['read']
  /** Called when a day has ended, from 1 on. */
  readonly dayEnded?: (day: number, account: RunningAccount) => Promise<void>
}

export type Run = { readonly kills: number; readonly passes: number }

const configuration = (folder: string, { interval, isRead, more }: Sections): string => `
timezone: UTC
accounts: [{ name: main, base_url: '${SERVICE_URL}', api_key_env: ADVICE_KEY, plan: scale${isRead ? ADDRESSES : ''} }]
store: { folder: '${folder}' }
reading: ${isRead ? '{ mode: light, hosts: [localhost], sslmode: disable, role: dormouse }' : "{ mode: 'off' }"}
poll: { interval: ${interval} }
report: { min_saving: 0 }
${more}
`

type Sections = Readonly<{ interval: string; isRead: boolean; more: string }>

const ADDRESSES = ", dsn: 'postgresql://dormouse@{host}/app'"

/** Resolves when the days are over; service and store are closed then. */
export async function runAccount(options: RunOptions): Promise<Run> {
  const folder = memoryFolder('dormouse-advice-')
  const clock = createVirtualClock(START)
  const service = await startSimulated({
    projects: options.lives.map(({ series, delay, active, minCu = 1, maxCu = minCu }) => ({
      name: series,
      cu: minCu,
      maxCu,
      suspendTimeoutSeconds: delay,
      activity: active.flatMap(queriesIn),
    })),
    clock: { now: () => clock.now(), after: () => () => undefined, sleep: () => Promise.resolve() },
    since: START,
    plan: 'scale',
    scripts: options.scripts ?? [],
  })
  try {
    return await clock.run(runDaemons(options, { folder, clock, service }))
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
}

function queriesIn({ from, to }: { from: number; to: number }): number[] {
  const count = Math.round((to - from) / QUERY_EVERY)
  return Array.from({ length: count + 1 }, (_, at) => START + 1000 * (from + at * QUERY_EVERY))
}

type World = { readonly folder: string; readonly clock: VirtualClock; readonly service: Simulated }

/** One daemon after the other, each in the store that the killed one left. */
async function runDaemons(options: RunOptions, world: World): Promise<Run> {
  const file = join(world.folder, 'dormouse.yaml')
  const { interval = '1m', configuration: more = '' } = options
  const configure = (sections: string) =>
    writeFileSync(
      file,
      configuration(join(world.folder, 'data'), {
        interval,
        isRead: options.readings !== undefined,
        more: sections,
      }),
    )
  configure(more)
  const random = seeded(1)
  const context = { ...world, file, configure, random, day: 0, passes: 0 }
  let kills = 0
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  while ((await runDaemon(options, context)) === 'killed') kills += 1
  return { kills, passes: context.passes }
}

type Context = World & {
  readonly file: string
  readonly configure: (more: string) => void
  readonly random: ReturnType<typeof seeded>
  /** Days and passes that have ended. */
  day: number
  passes: number
}

async function runDaemon(options: RunOptions, context: Context): Promise<'ended' | 'killed'> {
  const { clock, random, service, folder, file } = context
  const load = () => {
    const loaded = loadWithSource(file, environmentOf({ ADVICE_KEY: service.apiKey }))
    if (!loaded.ok) throw new Error(loaded.error.join('\n'))
    return loaded.value.config
  }
  let config = load()
  const opened = openEmbeddedStore(join(folder, 'data'), clock)
  const killed = Promise.withResolvers<'killed'>()
  const store = mortalStore(opened, {
    ...context,
    kill: () => killed.resolve('killed'),
    chance: options.kills ?? 0,
  })
  const fetch =
    options.showsActivity === false ? withoutActivity(service) : (request: Request) => service.fetch(request)
  const machine = {
    clock,
    random,
    store,
    self: createSelfMetrics(),
    log: pino({ level: 'error' }, pino.destination(2)),
    redactor: noRedactor,
    dispatcher: new Inside(fetch, clock),
    send: () => Promise.resolve([]),
    adviceShare: 1,
  }
  const stop = new AbortController()
  const runners = await createAccountRunners(() => config, machine, {
    portsOf: (account: AccountConfig) => {
      const ports = createPorts(account, config, machine)
      const read = options.readings?.(service, clock)
      return read ? { ...ports, readings: { ...ports.readings, read } } : ports
    },
    publish: () => Promise.resolve(),
  })
  const [runner] = runners.all
  if (!runner) throw new Error('the configuration has an account')
  const account = runningAccount(service, opened, {
    snapshot: runners.snapshot,
    configure: (more) => {
      context.configure(more)
      config = load()
    },
  })
  const turn = async (): Promise<LoopTurn> => {
    const turned = await runner.runPasses(stop.signal)
    await runner.idle()
    context.passes += 1
    if (clock.monotonic() >= (context.day + 1) * DAY) {
      context.day += 1
      await options.dayEnded?.(context.day, account)
    }
    if (context.day >= options.days) stop.abort()
    return turned
  }
  const loop = async (): Promise<'ended'> => {
    await turn()
    await runLoop(clock, { interval: passInterval(config.poll.interval), turn }, stop.signal)
    return 'ended'
  }
  const sender = options.sendsChanges === true ? runner.changes.run(stop.signal) : Promise.resolve()
  const end = await Promise.race([loop(), killed.promise])
  stop.abort()
  if (end === 'ended') await sender
  await opened.close()
  return end
}

type Mortality = Pick<Context, 'clock' | 'random'> & { readonly chance: number; readonly kill: () => void }

/** After a commit that kills the daemon no call ever returns to it. */
function mortalStore(store: OpenedStore, { clock, random, chance, kill }: Mortality): OpenedStore {
  let isDead = false
  const never = new Promise<never>(() => undefined)
  const commitTo =
    (account: AccountStore): AccountStore['commit'] =>
    async (...given) => {
      if (isDead) return never
      const release = clock.hold()
      const committed = await account.commit(...given)
      isDead = chance > 0 && random.unit() < chance
      release()
      if (!isDead) return committed
      kill()
      return never
    }
  return {
    ...store,
    account: (name) => {
      const account = store.account(name)
      return { ...account, commit: commitTo(account) }
    },
  }
}

/** A start without activity would mean that nobody used the compute. */
const ACTIVITY_FIELDS = ['last_active', 'started_at', 'compute_last_active_at']

/** Answers without the fields that show activity. */
const withoutActivity =
  (service: Simulated) =>
  async (request: Request): Promise<Response> => {
    const response = await service.fetch(request)
    const shown = await response.text()
    const body = shown === '' ? null : hidden(shown)
    return new Response(body, { status: response.status, headers: response.headers })
  }

const hidden = (body: string): string =>
  JSON.stringify(
    JSON.parse(body, (key, value: unknown) => (ACTIVITY_FIELDS.includes(key) ? undefined : value)),
  )
