// A compute whose clients come by a timer, with the lever of warm-ups: real passes, real client and real store over the simulated service.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { number, object } from 'zod'
import { loadWithSource, type Config } from '../../src/config/load.ts'
import { computeKey } from '../../src/model/service/compute.ts'
import { instant, seconds } from '../../src/model/units.ts'
import { createSelfMetrics } from '../../src/outputs/metrics/self.ts'
import { memoryFolder } from '../support/folder.ts'
import { memoryStore, newMemory, type Memory } from '../support/memory-store.ts'
import { environmentOf } from '../support/secrets.ts'
import { idsOf, startSimulated, type Simulated } from '../support/simulated-service.ts'
import { createVirtualClock, localClockOf, type VirtualClock } from '../support/virtual-clock.ts'
import { startDaemon, type Daemon } from './changes/daemon.ts'
import { createFuse, type Fuse } from './changes/fuse.ts'
import { seeded } from './seeded.ts'
import { simulatedReading } from './world.ts'

const START = Date.parse('2026-03-02T00:00:00Z')
const HOUR = 3_600_000
const NEVER = new AbortController().signal
const REF = { account: 'main', ...idsOf(0) }
const countsSchema = object({ used: number(), unused: number(), failed: number() })
/** Price of a wake, and the delay in force, s. */
const WAKE_COST = 1800
const DELAY = 300

/** Every half an hour, up to ten seconds late, for so many hours. */
function timer(hours: number): readonly number[] {
  const random = seeded(3)
  return Array.from({ length: 2 * hours }, (_, index) =>
    Math.floor(START + (index + 1) * (HOUR / 2) + 10_000 * random.unit()),
  )
}

/** @param keys further ones, and those of the policy */
function configOf(apiKey: string, [keys, ofPolicy]: readonly [string, string]): Config {
  const folder = memoryFolder('dormouse-warm-ups-')
  try {
    const file = join(folder, 'dormouse.yaml')
    writeFileSync(
      file,
      `mode: apply
accounts: [{ name: main, base_url: 'https://service.test/api/v2', api_key_env: SIMULATED_KEY, plan: scale }]
store: { folder: '${join(folder, 'data')}' }
policies: [{ levers: [warm], autosuspend: { wake_cost: ${WAKE_COST}s }, ${ofPolicy} }]
${keys}
`,
    )
    const loaded = loadWithSource(file, environmentOf({ SIMULATED_KEY: apiKey }))
    if (!loaded.ok) throw new Error(loaded.error.join('\n'))
    return loaded.value.config
  } finally {
    rmSync(folder, { recursive: true })
  }
}

type Scene = Readonly<{
  clock: VirtualClock
  simulated: Simulated
  memory: Memory
  /** Starts that the service was asked for. */
  asked: number[]
  begin: (fuse?: Fuse) => Promise<Daemon>
  /** Called when the service is asked to start the compute. */
  onStart: { call: () => void }
}>

/** The life of one compute for so many hours, with a daemon or without one. */
async function living(
  { hours, keys = ['', ''] }: Readonly<{ hours: number; keys?: readonly [string, string] }>,
  live: (scene: Scene) => Promise<void>,
): Promise<Scene> {
  const clock = createVirtualClock(START)
  const simulated = await startSimulated({
    projects: [{ name: 'shop', cu: 1, suspendTimeoutSeconds: DELAY, activity: timer(hours) }],
    clock: localClockOf(clock),
    since: START,
  })
  const memory = newMemory()
  const asked: number[] = []
  const onStart = { call: () => {} }
  const config = configOf(simulated.apiKey, keys)
  const begin = async (fuse = createFuse()) => {
    const daemon = await startDaemon({
      fuse,
      clock,
      machine: clock,
      random: seeded(1),
      config: () => config,
      store: memoryStore(memory),
      fetch: async (request) => {
        if (!fuse.hasPassed()) return undefined
        if (request.url.endsWith('/start')) {
          asked.push(clock.now())
          onStart.call()
        }
        const response = await simulated.fetch(request)
        return fuse.hasPassed() ? response : undefined
      },
      read: async () => ({ kind: 'read', reading: simulatedReading('light', START, clock.now()) }),
      self: createSelfMetrics(),
      log: pino({ level: 'silent' }),
      applyLoop: undefined,
      published: () => undefined,
      failed: (cause) => {
        throw new Error('the daemon ended', { cause })
      },
    })
    if (!daemon) throw new Error('the daemon did not start')
    return daemon
  }
  const scene = { clock, simulated, memory, asked, begin, onStart }
  try {
    await clock.run(live(scene))
    return scene
  } finally {
    await simulated.stop()
  }
}

type Lived = Readonly<{ scene: Scene; daemon: Daemon }>

/** A daemon over the whole life; `during` runs beside it. */
const withDaemon = (
  options: Parameters<typeof living>[0],
  during: (lived: Lived) => Promise<void> = async () => {},
) =>
  living(options, async (scene) => {
    const daemon = await scene.begin()
    await Promise.all([scene.clock.sleep(seconds(options.hours * 3600), NEVER), during({ scene, daemon })])
    await daemon.stop()
  })

const hourOf = (at: number) => (at - START) / HOUR

function truthOf({ simulated, clock }: Scene) {
  const usage = simulated.usages(clock.now())[0]
  if (!usage) throw new Error('the compute was never awake')
  const byClients = usage.wakes.filter(({ cause }) => cause.kind === 'client').length
  return { byClients, byRequests: usage.wakes.length - byClients, awakeSeconds: usage.awakeSeconds }
}

const costOf = (scene: Scene) => truthOf(scene).awakeSeconds + WAKE_COST * truthOf(scene).byClients

const rowsOf = ({ memory }: Scene) => memory.accounts.get('main')
const countersOf = (scene: Scene) => rowsOf(scene)?.computes.get(computeKey(REF))?.counters
const countsOf = (scene: Scene): unknown =>
  JSON.parse(rowsOf(scene)?.jobStates.get('warm-ups') ?? '{}').counts

/** Stored gaps that are not the time from a client to the next one, records in whole seconds. */
function falseGaps(scene: Scene, hours: number) {
  const clients = timer(hours)
  return [...(rowsOf(scene)?.gaps.values() ?? [])].filter(({ from, low, high }) => {
    const begin = clients.findLast((at) => at < from + 5000) ?? 0
    const end = clients.find((at) => at > begin) ?? Infinity
    const length = (end - from) / 1000
    return length < low - 5 || length > high + 5
  })
}

test('clients that come by a timer find the compute awake, at less cost, and no start of ours is taken for a client', async () => {
  const hours = 10
  const scene = await withDaemon({ hours })
  const alone = await living({ hours }, ({ clock }) => clock.sleep(seconds(hours * 3600), NEVER))
  const { byClients, byRequests } = truthOf(scene)
  expect(truthOf(alone)).toMatchObject({ byClients: 2 * hours - 1, byRequests: 0 })
  expect(byClients).toBeLessThanOrEqual(8)
  expect(byRequests).toBe(scene.asked.length)
  expect(costOf(scene)).toBeLessThan(0.6 * costOf(alone))
  expect(countersOf(scene)).toMatchObject({
    wakes: byClients + byRequests,
    wakesByWarmUp: byRequests,
    wakesCaused: 0,
    observerOverhead: 0,
  })
  expect(falseGaps(scene, hours)).toEqual([])
  const clients = timer(hours)
  const over = scene.asked.filter((at) => at < START + (hours - 0.5) * HOUR)
  const used = over.filter((at) => clients.some((client) => client > at && client < at + DELAY * 1000))
  const counts = countsSchema.parse(countsOf(scene))
  expect(counts.failed).toBe(0)
  expect(counts.unused).toBe(over.length - used.length)
  // the last one may be used or wait
  expect([used.length, used.length + 1]).toContain(counts.used)
})

test('nothing is started outside the window, or while a person holds the compute', async () => {
  const hours = 7
  const keys = ['windows: { early: "00:00-05:00" }', 'warm: { in: early }'] as const
  const scene = await withDaemon({ hours, keys }, async ({ scene: { clock }, daemon }) => {
    await clock.sleep(seconds(3.6 * 3600), NEVER)
    const snapshot = daemon.runners.snapshot()
    if (!snapshot) throw new Error('no pass has ended')
    const match = { compute: [REF.endpointId] }
    const asked = {
      account: undefined,
      match,
      all: false,
      until: instant(START + 4.2 * HOUR),
      reason: 'a test',
    }
    const placed = await daemon.holds.place(snapshot, asked, 'ann')
    expect(placed.ok).toBe(true)
    await clock.sleep(seconds(0.4 * 3600), NEVER)
    const [view] = daemon.runners.snapshot()?.computes ?? []
    expect(view && daemon.runners.warmUpsOf(view)?.hold?.because).toBe('hold')
  })
  const started = scene.asked.map(hourOf)
  expect(started.some((hour) => hour < 3.6)).toBe(true)
  expect(started.filter((hour) => hour > 3.6 && hour < 4.2)).toEqual([])
  expect(started.some((hour) => hour > 4.2 && hour < 5)).toBe(true)
  expect(started.filter((hour) => hour > 5)).toEqual([])
})

test('nothing is started while a budget of the compute has reached 80 %', async () => {
  const hours = 5
  const keys = ['budgets: [{ name: small, limit: 0.01 USD, per: month }]', ''] as const
  const scene = await withDaemon({ hours, keys })
  expect(scene.asked).toEqual([])
  expect(truthOf(scene).byClients).toBe(2 * hours - 1)
})

test('a daemon that ends at a call around a start makes no second one in that gap, and takes it for no client', async () => {
  const hours = 8
  const ends = [0, 1, 2, 3, 5, 8]
  const scene = await living({ hours }, async ({ clock, begin, onStart }) => {
    const until = START + hours * HOUR
    while (clock.now() < until) {
      const fuse = createFuse()
      onStart.call = () => {
        const calls = ends.shift()
        if (calls !== undefined) fuse.arm(calls)
      }
      const daemon = await begin(fuse)
      const isOver = clock.sleep(seconds((until - clock.now()) / 1000), NEVER).then(() => true)
      if (await Promise.race([isOver, fuse.burnt])) await daemon.stop()
      else await clock.sleep(seconds(20), NEVER)
    }
  })
  expect(ends).toEqual([])
  const gaps = scene.asked.map((at) => Math.floor(hourOf(at) * 2))
  expect(new Set(gaps).size).toBe(gaps.length)
  expect(falseGaps(scene, hours)).toEqual([])
  expect(countersOf(scene)?.wakesByWarmUp).toBe(truthOf(scene).byRequests)
})
