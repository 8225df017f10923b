// A project that makes and deletes 30 preview computes a day: its recommended default delay, approved by a person, against the same life without it.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { loadWithSource, type Config } from '../../src/config/load.ts'
import type { SimulatedEvent } from '../../src/local/control/simulation/simulation.ts'
import type { Random } from '../../src/model/ports/clock.ts'
import type { Recommendation } from '../../src/model/policy/recommendation.ts'
import { seconds } from '../../src/model/units.ts'
import { planOfRecommendation } from '../../src/daemon/changes/recommended.ts'
import { createSelfMetrics } from '../../src/outputs/metrics/self.ts'
import { memoryFolder } from '../support/folder.ts'
import { memoryStore, newMemory, type Memory } from '../support/memory-store.ts'
import { environmentOf } from '../support/secrets.ts'
import { idsOf, startSimulated, type Simulated } from '../support/simulated-service.ts'
import { simulatedReading } from './world.ts'
import { createVirtualClock, localClockOf, type VirtualClock } from '../support/virtual-clock.ts'
import { startDaemon, type Daemon } from './changes/daemon.ts'
import { createFuse } from './changes/fuse.ts'
import { drawPause } from './changes/lives.ts'
import { seeded } from './seeded.ts'
import { bySize } from '../support/tiers.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const START = Date.parse('2026-03-02T00:00:00Z')
const NEVER = new AbortController().signal
const URL = 'https://service.test/api/v2'
const { projectId, branchId, endpointId: MAIN } = idsOf(0)
const RESTING = 'ep-resting'

/** Days until the approval, and after it. The evidence that a recommendation needs, hours. */
const [BEFORE, AFTER, NEEDED] = bySize([4, 2, 72], [0.75, 0.5, 6] as const)
const UNTIL = START + (BEFORE + AFTER) * DAY * 1000

const preview = (number: number): string => `ep-preview-${number}`

/** Each lives some hours; clients come every few minutes, and stay away for longer now and then. */
function* previewLives(random: Random): Generator<SimulatedEvent> {
  for (let number = 0; ; number += 1) {
    const begin = START + number * (DAY / 30) * 1000
    const lives = 1000 * drawPause(random, [HOUR, 5 * HOUR])
    if (begin > UNTIL) return
    yield { at: begin, kind: 'request', projectId, request: creation(preview(number)) }
    for (let at = begin + 30_000; at < begin + lives; at += 1000 * drawPause(random, [20, 3 * HOUR]))
      yield { at: Math.floor(at), kind: 'connect', endpointId: preview(number), cause: CLIENT }
    const request = { kind: 'delete', endpointId: preview(number) } as const
    yield { at: Math.floor(begin + lives), kind: 'request', projectId, request }
  }
}

const CLIENT = { kind: 'client', applicationName: 'ci' } as const
const creation = (endpointId: string) =>
  ({ kind: 'create', branchId, endpointId, type: 'read_only', config: { minCu: 1, maxCu: 1 } }) as const

function* inOrder(events: Iterable<SimulatedEvent>): Generator<SimulatedEvent> {
  yield* [...events].toSorted((a, b) => a.at - b.at)
}

/** The same life each time. The main compute has a delay of its own, another existing one has none. */
const startProject = (clock: VirtualClock): Promise<Simulated> =>
  startSimulated({
    projects: [{ name: 'shop', cu: 1, suspendTimeoutSeconds: 600 }],
    clock: localClockOf(clock),
    since: START,
    scripts: [
      [{ at: START + 600_000, kind: 'request', projectId, request: creation(RESTING) }],
      inOrder(previewLives(seeded(7))),
    ],
  })

function configOf(apiKey: string): Config {
  const folder = memoryFolder('dormouse-defaults-')
  try {
    const file = join(folder, 'dormouse.yaml')
    writeFileSync(
      file,
      `accounts: [{ name: main, base_url: '${URL}', api_key_env: SIMULATED_KEY, plan: scale }]
store: { folder: '${join(folder, 'data')}' }
report: { min_saving: 0 }
advice: { min_history: ${NEEDED}h }
`,
    )
    const loaded = loadWithSource(file, environmentOf({ SIMULATED_KEY: apiKey }))
    if (!loaded.ok) throw new Error(loaded.error.join('\n'))
    return loaded.value.config
  } finally {
    rmSync(folder, { recursive: true })
  }
}

type Scene = Readonly<{ clock: VirtualClock; simulated: Simulated; memory: Memory }>

async function beginDaemon({ clock, simulated, memory }: Scene): Promise<Daemon> {
  const config = configOf(simulated.apiKey)
  const daemon = await startDaemon({
    fuse: createFuse(),
    clock,
    machine: clock,
    random: seeded(1),
    config: () => config,
    store: memoryStore(memory),
    fetch: (request) => simulated.fetch(request),
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

const rowsOf = ({ memory }: Scene) => memory.accounts.get('main')
const openDefaults = (scene: Scene): Recommendation | undefined =>
  [...(rowsOf(scene)?.recommendations.values() ?? [])].find(
    ({ kind, life }) => kind === 'defaults' && life.state === 'open',
  )

/** @returns the recommendation that was approved */
async function live(scene: Scene): Promise<Recommendation> {
  const { clock } = scene
  const daemon = await beginDaemon(scene)
  await clock.sleep(seconds(BEFORE * DAY), NEVER)
  const found = openDefaults(scene)
  const snapshot = daemon.runners.snapshot()
  if (!found || !snapshot)
    throw new Error(
      `no default is recommended: ${JSON.stringify(rowsOf(scene)?.advice.get(`main/${projectId}/`))}`,
    )
  const plan = planOfRecommendation(snapshot, found, {
    when: 'idle',
    runnerOf: (account) => daemon.runners.of(account).changes,
  })
  if (!plan.ok) throw new Error(plan.error.message)
  const approval = { planHash: plan.value.planHash, when: undefined, by: 'ann' }
  const approved = await daemon.commands.approveRecommendation(snapshot, found.id, approval)
  if (!approved.ok) throw new Error(approved.error.message)
  await clock.sleep(seconds(AFTER * DAY), NEVER)
  await daemon.stop()
  return found
}

/** Awake seconds of all previews after the approval, by the service. */
function awakeAfter(simulated: Simulated): number {
  const from = START + BEFORE * DAY * 1000
  const usages = simulated.usages(UNTIL).filter(({ endpointId }) => endpointId.startsWith('ep-preview'))
  return (
    usages
      .flatMap(({ intervals }) => intervals)
      .reduce(
        (sum, one) => sum + Math.max(0, Math.min(one.to ?? UNTIL, UNTIL) - Math.max(one.from, from)),
        0,
      ) / 1000
  )
}

/** Nobody observes or changes it. */
async function awakeUntouched(): Promise<number> {
  const clock = createVirtualClock(UNTIL)
  const simulated = await startProject(clock)
  try {
    simulated.advance()
    return awakeAfter(simulated)
  } finally {
    await simulated.stop()
  }
}

const delayIn = (simulated: Simulated, endpointId: string) =>
  simulated.project(projectId)?.computes.find(({ id }) => id === endpointId)?.config.suspendTimeout

test(
  '30 previews a day: new ones have the approved delay, one with a delay of its own does not, and the saving comes',
  { timeout: 600_000 },
  async () => {
    const clock = createVirtualClock(START)
    const simulated = await startProject(clock)
    const scene = { clock, simulated, memory: newMemory() }
    try {
      const { id, ref, from, to, saving, detail, grounds } = await clock.run(live(scene))
      expect({ id, ref, from }).toEqual({
        id: `${projectId}.defaults.1`,
        ref: { account: 'main', projectId },
        from: { delay: 300 },
      })
      expect(detail).toMatchObject({ kind: 'defaults' })
      const changes = [...(rowsOf(scene)?.changes.values() ?? [])]
      expect(changes).toMatchObject([
        { kind: 'defaults', ref: { projectId }, state: { at: 'done', because: 'verified' } },
      ])
      expect(simulated.project(projectId)?.defaults.suspendTimeout).toBe(to.delay)
      // 0: the default of the project is in force
      const youngest = preview(Math.floor(((UNTIL - START) / 1000 / DAY) * 30) - 1)
      expect([delayIn(simulated, youngest), delayIn(simulated, RESTING), delayIn(simulated, MAIN)]).toEqual([
        0, 0, 600,
      ])
      expect(rowsOf(scene)?.recommendations.get(`main/${projectId}/ ${id}`)?.life.state).toBe('implemented')
      const saved = (await awakeUntouched()) - awakeAfter(simulated)
      const money = (saved * grounds.perCuHour * 30) / (3600 * AFTER)
      // half a day of the short form is no sample of what an interval for 30 days promises
      const promised = bySize<Readonly<Record<'low' | 'high', number>>>(saving, { low: 0, high: Infinity })
      expect(money).toBeGreaterThan(promised.low)
      expect(money).toBeLessThan(promised.high)
    } finally {
      await simulated.stop()
    }
  },
)
