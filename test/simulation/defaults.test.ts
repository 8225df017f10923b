// A project that makes and deletes 30 preview computes a day: its recommended default delay and range, approved by a person, against the same life
// without them.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { loadWithSource, type Config } from '../../src/config/load.ts'
import type { ComputeConfig } from '../../src/local/control/project.ts'
import type { SimulatedEvent } from '../../src/local/control/simulation/simulation.ts'
import type { Random } from '../../src/model/ports/clock.ts'
import type { Recommendation } from '../../src/model/policy/recommendation.ts'
import { instant, millis, seconds } from '../../src/model/units.ts'
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

/**
 * Days until the approval, and after it. The evidence that a recommendation needs, hours: the delay and the size may be judged first on two
 * days.
 */
const [BEFORE, AFTER, NEEDED] = bySize([2.25, 1.1, 42], [0.75, 0.5, 6] as const)
const UNTIL = START + (BEFORE + AFTER) * DAY * 1000

const preview = (number: number): string => `ep-preview-${number}`

/** Every so many previews are made with a size of their own, and as many with a delay of their own. */
const [OWN_SIZE, OWN_DELAY] = [7, 5]

type Preview = Readonly<{
  endpointId: string
  begin: number
  end: number
  config: Partial<ComputeConfig>
  /** Instants at which clients come. */
  visits: readonly number[]
}>

/** Each lives some hours; clients come every few minutes, and stay away for longer now and then. */
function previewsOf(random: Random): readonly Preview[] {
  const count = Math.floor((UNTIL - START) / (DAY / 30) / 1000) + 1
  return Array.from({ length: count }, (_, number) => {
    const begin = START + number * (DAY / 30) * 1000
    const end = Math.floor(begin + 1000 * drawPause(random, [HOUR, 5 * HOUR]))
    const visits: number[] = []
    for (let at = begin + 30_000; at < end; at += 1000 * drawPause(random, [20, 3 * HOUR]))
      visits.push(Math.floor(at))
    return { endpointId: preview(number), begin, end, config: ownConfig(number), visits }
  })
}

const ownConfig = (number: number): Partial<ComputeConfig> => ({
  ...(number % OWN_SIZE === 1 && { minCu: 2, maxCu: 2 }),
  ...(number % OWN_DELAY === 1 && { suspendTimeout: 600 }),
})

const PREVIEWS = previewsOf(seeded(7))

/** A visit works for a minute and wants half a CU: so much the autoscaler gives for 0.45 CU of demand. */
const [WORK, GOAL, DEMAND] = [60_000, 0.5, 0.45]
/** After it the autoscaler goes back to the minimum. */
const REST = 0.25

const eventsOf = ({ endpointId, begin, end, config, visits }: Preview): readonly SimulatedEvent[] => [
  { at: begin, kind: 'request', projectId, request: creation(endpointId, config) },
  ...visits.flatMap((at, index): SimulatedEvent[] => [
    { at, kind: 'connect', endpointId, cause: CLIENT },
    { at: at + 5000, kind: 'goal', endpointId, cu: GOAL },
    ...((visits[index + 1] ?? Infinity) > at + WORK
      ? [{ at: at + WORK, kind: 'goal', endpointId, cu: REST } as const]
      : []),
  ]),
  { at: end, kind: 'request', projectId, request: { kind: 'delete', endpointId } },
]

const CLIENT = { kind: 'client', applicationName: 'ci' } as const
const creation = (endpointId: string, config: Partial<ComputeConfig> = {}) =>
  ({ kind: 'create', branchId, endpointId, type: 'read_only', config }) as const

/** CPU time of the visits of a preview since it started: what its sessions show as active. */
function activeTime(endpointId: string, startedAt: number, now: number): number {
  const { visits = [] } = PREVIEWS.find((one) => one.endpointId === endpointId) ?? {}
  let [until, total] = [startedAt, 0]
  for (const at of visits) {
    const [from, to] = [Math.max(at, until), Math.min(at + WORK, now)]
    total += DEMAND * Math.max(0, to - from)
    until = Math.max(until, Math.min(at + WORK, now))
  }
  return total
}

function* inOrder(events: Iterable<SimulatedEvent>): Generator<SimulatedEvent> {
  yield* [...events].toSorted((a, b) => a.at - b.at)
}

const DEFAULT_SIZE: SimulatedEvent = {
  at: START + 1000,
  kind: 'request',
  projectId,
  request: { kind: 'update-project', defaults: { minCu: 1, maxCu: 1 } },
}

/** The same life each time: new computes have 1 CU. The main compute has a delay of its own, another existing one has none. */
const startProject = (clock: VirtualClock): Promise<Simulated> =>
  startSimulated({
    projects: [{ name: 'shop', cu: 1, suspendTimeoutSeconds: 600 }],
    clock: localClockOf(clock),
    since: START,
    scripts: [
      [DEFAULT_SIZE, { at: START + 600_000, kind: 'request', projectId, request: creation(RESTING) }],
      inOrder(PREVIEWS.flatMap(eventsOf)),
    ],
  })

function configOf(apiKey: string): Config {
  const folder = memoryFolder('dormouse-defaults-')
  try {
    const file = join(folder, 'dormouse.yaml')
    writeFileSync(
      file,
      `accounts: [{ name: main, base_url: '${URL}', api_key_env: SIMULATED_KEY, plan: scale, dsn: 'postgresql://dormouse@{host}/app' }]
reading: { mode: light, hosts: [localhost], sslmode: disable, role: dormouse }
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
    read: async ({ endpointId, startedAt = instant(START) }) => {
      const now = clock.now()
      const usage = { sessions: 0, activeTime: millis(activeTime(endpointId, startedAt, now)) }
      return { kind: 'read', reading: { ...simulatedReading('light', startedAt, now), usage } }
    },
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

/** CU-seconds of all previews after the approval, by the service. */
function usedAfter(simulated: Simulated): number {
  const from = START + BEFORE * DAY * 1000
  const usages = simulated.usages(UNTIL).filter(({ endpointId }) => endpointId.startsWith('ep-preview'))
  return (
    usages
      .flatMap(({ intervals }) => intervals)
      .reduce(
        (sum, one) => sum + one.cu * Math.max(0, Math.min(one.to ?? UNTIL, UNTIL) - Math.max(one.from, from)),
        0,
      ) / 1000
  )
}

/** Nobody observes or changes it. */
async function usedUntouched(): Promise<number> {
  const clock = createVirtualClock(UNTIL)
  const simulated = await startProject(clock)
  try {
    simulated.advance()
    return usedAfter(simulated)
  } finally {
    await simulated.stop()
  }
}

/** Delay as stored, 0: the default of the project is in force; and limits of the size. */
function settingsIn(simulated: Simulated, endpointId: string) {
  const compute = simulated.project(projectId)?.computes.find(({ id }) => id === endpointId)
  return compute && [compute.config.suspendTimeout, compute.config.minCu, compute.config.maxCu]
}

test(
  '30 previews a day: new ones have the approved delay and range, those with their own do not, and the saving comes',
  { timeout: 600_000 },
  async () => {
    const clock = createVirtualClock(START)
    const simulated = await startProject(clock)
    const scene = { clock, simulated, memory: newMemory() }
    try {
      const { id, ref, from, to, saving, detail, grounds } = await clock.run(live(scene))
      expect({ ref, from }).toEqual({
        ref: { account: 'main', projectId },
        from: { delay: 300, sizing: { fixed: 1 } },
      })
      expect(to.sizing).toEqual({ min: 0.25, max: 1 })
      expect(detail).toMatchObject({ kind: 'defaults' })
      const changes = [...(rowsOf(scene)?.changes.values() ?? [])]
      expect(changes).toMatchObject([
        { kind: 'defaults', ref: { projectId }, state: { at: 'done', because: 'verified' } },
      ])
      expect(simulated.project(projectId)?.defaults).toMatchObject({
        suspendTimeout: to.delay,
        minCu: 0.25,
        maxCu: 1,
      })
      // an existing compute keeps its size, and without a delay of its own has the new one
      expect([settingsIn(simulated, RESTING), settingsIn(simulated, MAIN)]).toEqual([
        [0, 1, 1],
        [600, 1, 1],
      ])
      const made = PREVIEWS.flatMap(({ endpointId, begin, config }) => {
        const settings = begin > START + BEFORE * DAY * 1000 ? settingsIn(simulated, endpointId) : undefined
        return settings ? [{ config, settings }] : []
      })
      expect(new Set(made.map(({ config }) => config.minCu))).toEqual(new Set([undefined, 2]))
      for (const { config, settings } of made)
        expect(settings).toEqual([config.suspendTimeout ?? 0, config.minCu ?? 0.25, config.maxCu ?? 1])
      expect(rowsOf(scene)?.recommendations.get(`main/${projectId}/ ${id}`)?.life.state).toBe('implemented')
      const saved = (await usedUntouched()) - usedAfter(simulated)
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
