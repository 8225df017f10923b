// The life of one seed: the service, one daemon after the other, people, faults, and the judge.
import type { BrokenProduct } from './broken-rules.ts'
import type { Change } from '../../../src/model/policy/change.ts'
import { seconds } from '../../../src/model/units.ts'
import type { SelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { memoryStore, newMemory } from '../../support/memory-store.ts'
import { idsOf, startSimulated, type Simulated } from '../../support/simulated-service.ts'
import { createVirtualClock, localClockOf, type VirtualClock } from '../../support/virtual-clock.ts'
import { createMachine } from '../machine.ts'
import { seeded } from '../seeded.ts'
import { ACCOUNT, configOf } from './configuration.ts'
import { createEventLog, type EventLog, type Violation } from './event-log.ts'
import { createJudge, type Judge } from './judge/judge.ts'
import { PAST_DAYS } from './lives.ts'
import { createNetwork } from './network.ts'
import { writePast } from './past.ts'
import { createPeople } from './people.ts'
import { drawReplicas } from './replicas.ts'
import { runProcesses, type RunningDaemon } from './processes.ts'
import { readPast } from './read-past.ts'
import { createSessions } from './sessions.ts'
import { drawTroubles } from './troubles.ts'
import { createWindowWatch } from './judge/window-watch.ts'
import { drawWorld, type World } from './world.ts'

export type SeedOptions = Readonly<{
  seed: number
  days: number
  self: SelfMetrics
  /** Default: the product as it is. */
  broken?: BrokenProduct | undefined
}>

export type SeedResult = Readonly<{
  seed: number
  violation: Violation | undefined
  digest: string
  counts: ReturnType<EventLog['counts']>
  sums: ReturnType<Judge['sums']>
  /** Virtual and real, ms. */
  lived: number
  took: number
}>

const DAY = 86_400
/** Nothing is wrong in the last hour, in which everything must come to an end, seconds. */
const CALM = 3600

/** Resolves when the days are over, or the first invariant was violated. */
export async function runSeed({ seed, days, self, broken = {} }: SeedOptions): Promise<SeedResult> {
  const startedAt = performance.now()
  const world = drawWorld(seed, days)
  const clock = createVirtualClock(world.start)
  const simulated = await startSimulated({
    projects: world.lives.map(({ name, cu, delay }) => ({ name, cu, suspendTimeoutSeconds: delay })),
    clock: localClockOf(clock),
    since: world.start - PAST_DAYS * 1000 * DAY,
    scripts: [
      ...world.lives.map(({ visits }, index) => visits.map((visit) => connectOf(index, visit))),
      drawReplicas(seeded(seed + 3_000_000), world, days * DAY - CALM),
    ],
    behaviour: { patchEqualRestarts: true },
  })
  try {
    const log = createEventLog(() => clock.now())
    const never = new AbortController().signal
    const sums = await clock.run(live({ world, clock, simulated, log, self, broken, never }))
    return {
      seed,
      violation: log.violation(),
      digest: log.digest(),
      counts: log.counts(),
      sums,
      lived: clock.now() - world.start,
      took: performance.now() - startedAt,
    }
  } finally {
    await simulated.stop()
  }
}

const connectOf = (index: number, visit: World['lives'][number]['visits'][number]) => ({
  ...visit,
  kind: 'connect' as const,
  endpointId: idsOf(index).endpointId,
  cause: { kind: 'client' as const, applicationName: 'app', user: 'app' },
})

export type Stage = Readonly<{
  world: World
  clock: VirtualClock
  simulated: Simulated
  log: EventLog
  self: SelfMetrics
  broken: BrokenProduct
  /** Never aborts; of this seed alone, because it holds in memory what sleeps by it when the seed is over. */
  never: AbortSignal
}>

async function live(stage: Stage): Promise<ReturnType<Judge['sums']>> {
  const { world, clock, simulated, log, never } = stage
  const span = world.days * DAY
  const memory = newMemory()
  const rows = () => memory.accounts.get(ACCOUNT)
  const changes = (): readonly Change[] => [...(rows()?.changes.values() ?? [])]
  const config = configOf(world, simulated.apiKey)
  await writePast(await readPast(world.lives, stage), {
    store: memoryStore(memory),
    config,
    now: clock.now(),
  })
  const judge = createJudge({
    ...stage,
    now: () => clock.now(),
    changes,
    changeEvents: () => rows()?.changeEvents ?? [],
    placedHolds: () => rows()?.placedHolds.keys() ?? [],
    entries: () => rows()?.computes.values() ?? [],
  })
  judge.begin()
  const wrong = seeded(world.seed + 2_000_000)
  const troubles = drawTroubles(wrong, span - CALM)
  const goHome = new AbortController()
  const running: RunningDaemon = { daemon: undefined }
  const people = createPeople({
    ...stage,
    random: seeded(world.seed + 1_000_000),
    judge,
    daemon: () => running.daemon,
    changes,
    until: goHome.signal,
  })
  void clock.sleep(seconds(span - CALM), never).then(() => goHome.abort())
  const atWork = people.run()
  await runProcesses({
    ...stage,
    memory,
    config,
    judge,
    changes,
    troubles,
    people,
    running,
    random: wrong,
    read: createSessions({ ...stage, random: seeded(world.seed + 4_000_000) }),
    machine: createMachine(clock, troubles.machine),
    network: createNetwork({
      ...stage,
      ...troubles,
      random: wrong,
      written: judge.written,
      landed: judge.landed,
    }),
    watchWindows: createWindowWatch({ world, log, changes }),
    isCalm: () => goHome.signal.aborted,
    ended: Promise.race([clock.sleep(seconds(span), never), log.violated]),
  })
  goHome.abort()
  if (!log.violation()) {
    await atWork
    judge.end()
  }
  log.note('over', { readings: rows()?.readings, gaps: rows()?.gaps.size, rollups: rows()?.rollups.size })
  return judge.sums()
}
