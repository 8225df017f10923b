// One process of the daemon after the other, each in the store that the one before left.
/* oxlint-disable no-await-in-loop -- one process after the other */
import { pino } from 'pino'
import type { Config } from '../../../src/config/load.ts'
import { isInFlight, type Change } from '../../../src/model/policy/change.ts'
import type { PlacedHold } from '../../../src/model/policy/placed-hold.ts'
import type { Clock, Random } from '../../../src/model/ports/clock.ts'
import type { Readings } from '../../../src/model/ports/readings.ts'
import type { Write } from '../../../src/model/ports/store.ts'
import { seconds } from '../../../src/model/units.ts'
import { memoryStore, type Memory } from '../../support/memory-store.ts'
import { seeded } from '../seeded.ts'
import { startDaemon, type Daemon } from './daemon.ts'
import type { Counted, EventLog } from './event-log.ts'
import { judgeReverts, judgeSteps } from './judge/final-rules.ts'
import { createFuse, type Fuse } from './fuse.ts'
import type { Judge } from './judge/judge.ts'
import { drawPause, pick } from './lives.ts'
import type { createNetwork } from './network.ts'
import { observedStore } from './observed-store.ts'
import type { People } from './people.ts'
import type { Stage } from './run-seed.ts'
import type { Troubles } from './troubles.ts'

/** Undefined between two processes. */
export type RunningDaemon = { daemon: Daemon | undefined }

type Scene = Stage &
  Readonly<{
    memory: Memory
    config: Config
    judge: Judge
    changes: () => readonly Change[]
    troubles: Troubles
    people: People
    running: RunningDaemon
    /** Of what goes wrong. */
    random: Random
    machine: Clock
    network: ReturnType<typeof createNetwork>
    read: Readings['read']
    watchWindows: (now: number) => void
    /** Nothing goes wrong any more. */
    isCalm: () => boolean
    /** Resolves when no further process is to be started. */
    ended: Promise<void>
  }>

/** Passes between two looks of the judge at ledger and stops. */
const CHECKED_EVERY = 10
/** Bounds of the time after which a process ends at some call, seconds. */
const WEARS_OUT = [600, 60_000] as const
/** Chance that a process ends soon after a change moved on, and calls within which it does. */
const [ENDS_SOON, SOON] = [0.2, 30]
/** Chance that a person sets the compute of a change under way, and bounds of the time until then, seconds. */
const PERSON_COMES = 0.35
const COMES_WITHIN = [0.05, 150] as const

export async function runProcesses(scene: Scene): Promise<void> {
  const { clock, ended, log, random, running, never } = scene
  const over = { is: false }
  void ended.then(() => (over.is = true))
  for (let number = 1; !over.is; number += 1) {
    const fuse = createFuse()
    log.note('daemon starts', { number })
    scene.judge.daemonStarted()
    const stopped = new AbortController()
    void wearOut(scene, fuse, stopped.signal)
    running.daemon = await start(scene, fuse, number)
    if (running.daemon) await Promise.race([fuse.burnt, ended])
    if (fuse.isBurnt()) noteEnd(scene, fuse, number)
    else if (running.daemon) await Promise.race([running.daemon.stop(), fuse.burnt])
    running.daemon = undefined
    stopped.abort()
    await Promise.race([clock.sleep(seconds(pick(random, [1, 5, 30, 300])), never), ended])
  }
}

async function wearOut({ clock, random, isCalm }: Scene, fuse: Fuse, stopped: AbortSignal): Promise<void> {
  await clock.sleep(seconds(drawPause(random, WEARS_OUT)), stopped)
  if (!isCalm() && !stopped.aborted) fuse.arm(Math.floor(300 * random.unit()))
}

function noteEnd({ changes, log }: Scene, fuse: Fuse, number: number): void {
  const isInside = changes().some(isInFlight)
  log.note('daemon ended', { number, calls: fuse.calls(), isInside })
  if (isInside) log.count('crashes_inside_change')
}

/** Undefined where it could not start, or ended before. */
async function start(scene: Scene, fuse: Fuse, number: number): Promise<Daemon | undefined> {
  const { clock, machine, config, world, memory, network, self, broken, log, judge, troubles } = scene
  const { applyLoop, storeOf = (store) => store } = broken
  const isFull = () =>
    troubles.full.some(({ from, to }) => clock.monotonic() >= from && clock.monotonic() < to)
  try {
    return await startDaemon({
      fuse,
      clock,
      machine,
      random: seeded(world.seed * 1000 + number),
      config: () => config,
      store: observedStore(storeOf(memoryStore(memory)), {
        refusal: () => (isFull() ? 'the disk is full' : undefined),
        stored: (writes) => stored(writes, scene, fuse),
      }),
      fetch: network.fetchOf(fuse),
      read: scene.read,
      self,
      applyLoop,
      log: pino({ level: 'silent' }),
      published: (snapshot) => {
        scene.watchWindows(clock.now())
        if (snapshot.version % CHECKED_EVERY > 0) return
        judge.judgeStops()
        // as of the time that its own clock shows
        if (Math.abs(machine.now() - clock.now()) < 1000) judge.published(snapshot)
      },
      failed: (cause) => log.violate('the daemon goes on', { cause: String(cause) }),
    })
  } catch (err) {
    log.note('start failed', { err: String(err) })
    return undefined
  }
}

function stored(writes: readonly Write[], scene: Scene, fuse: Fuse): void {
  for (const write of writes) {
    if (write.kind === 'placed-hold') holdStored(write.hold, scene)
    if (write.kind === 'change') moved(write.change, scene, fuse)
  }
}

const COUNTED_ORIGINS: Readonly<Record<string, Counted>> = { revert: 'reverts', budget: 'budget_rungs' }

function holdStored({ id, until, ended }: PlacedHold, { log, judge }: Scene): void {
  if (!ended) log.count('holds')
  else if (ended.by === undefined) judge.holdEnded({ id, until })
}

function moved(change: Change, scene: Scene, fuse: Fuse): void {
  const { id, ref, state, version } = change
  const { log, random, isCalm, clock, people, never } = scene
  log.note('change', { id, version, state })
  if (version === 1) {
    judgeReverts(scene.changes(), log)
    judgeSteps(scene.changes(), log)
  }
  countMove(change, log)
  if (isCalm() || !isInFlight(change)) return
  if (random.unit() < ENDS_SOON) fuse.arm(Math.floor(SOON * random.unit()))
  if (random.unit() < PERSON_COMES)
    void clock
      .sleep(seconds(drawPause(random, COMES_WITHIN)), never)
      .then(() => (isCalm() ? undefined : people.set(ref.endpointId ?? '', 'person')))
}

function countMove({ state, version, origin }: Change, log: EventLog): void {
  const byOrigin = version === 1 ? COUNTED_ORIGINS[origin.by] : undefined
  const isPutBack = origin.by === 'budget' && origin.of !== undefined
  if (byOrigin && !isPutBack) log.count(byOrigin)
  if (state.at === 'done') log.count('changes_done')
  if (state.at === 'applying' && state.uncertainAt !== undefined) log.count('uncertain_answers')
}
