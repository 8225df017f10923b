// People who hold changes of some computes for a while, and release some of these holds early.
/* oxlint-disable no-await-in-loop -- one after the other, on virtual time */
import type { NewHold } from '../../../src/daemon/changes/commands/hold-commands.ts'
import type { Selector } from '../../../src/model/policy/selector.ts'
import type { Random } from '../../../src/model/ports/clock.ts'
import { after, instant, seconds } from '../../../src/model/units.ts'
import { idsOf } from '../../support/simulated-service.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'
import type { Daemon } from './daemon.ts'
import type { EventLog } from './event-log.ts'
import type { HeldComputes } from './judge/standing-holds.ts'
import type { Judge } from './judge/judge.ts'
import { drawPause, pick } from './lives.ts'
import { COMPUTES } from './world.ts'

type HoldingOptions = Readonly<{
  clock: VirtualClock
  random: Random
  log: EventLog
  judge: Judge
  /** Undefined while none runs. */
  daemon: () => Daemon | undefined
  /** Aborts when people go home. */
  until: AbortSignal
}>

/** Bounds of the time for which a hold stands, and of the time after which it may be released, seconds. */
const STANDS = [600, 12_000] as const
const RELEASED_AFTER = [60, 6000] as const
/** Chance that it is released before its time. */
const RELEASED = 0.3
const OPERATOR = 'ben'

export function createHolding({ clock, random, log, judge, daemon, until }: HoldingOptions) {
  /** Undefined where none runs, the daemon ends meanwhile, or its store fails: then the operator knows nothing. */
  async function ask<Answer>(work: (daemon: Daemon) => Promise<Answer> | undefined) {
    const running = daemon()
    if (!running) return undefined
    const done = Promise.resolve(work(running)).catch(() => undefined)
    return Promise.race([done, running.fuse.burnt.then(() => undefined)])
  }

  /** @returns its id */
  async function place(): Promise<string | undefined> {
    const { match, held } = drawHeld(random)
    const asked: NewHold = {
      account: undefined,
      match,
      all: held.of === 'all',
      until: after(instant(clock.now()), seconds(drawPause(random, STANDS))),
      reason: 'as drawn',
    }
    const answer = await ask(({ holds, runners }) => {
      const snapshot = runners.snapshot()
      return snapshot && holds.place(snapshot, asked, OPERATOR)
    })
    if (!answer?.ok) {
      log.note('not held', { message: answer?.error.message })
      return undefined
    }
    const { id } = answer.value.hold
    judge.held({ id, held, until: asked.until })
    return id
  }

  /** The judge counts to the request: after it nobody is promised anything. */
  async function release(id: string): Promise<void> {
    judge.resumed(id)
    const answer = await ask(({ holds, runners }) => {
      const snapshot = runners.snapshot()
      return snapshot && holds.resume(snapshot, id, OPERATOR)
    })
    log.note('resumed', { id, isDone: answer?.ok })
  }

  return async (): Promise<void> => {
    const id = await place()
    if (id === undefined || random.unit() > RELEASED) return
    await clock.sleep(seconds(drawPause(random, RELEASED_AFTER)), until)
    if (!until.aborted) await release(id)
  }
}

/** Each of these as often as the others: one compute, one project with its replicas, all primaries, everything. */
function drawHeld(random: Random): Readonly<{ match: Selector; held: HeldComputes }> {
  const { projectId, endpointId } = idsOf(Math.floor(COMPUTES * random.unit()))
  return pick<ReturnType<typeof drawHeld>>(random, [
    { match: { compute: [endpointId] }, held: { of: 'compute', id: endpointId } },
    { match: { project: [projectId] }, held: { of: 'project', id: projectId } },
    { match: { type: 'read_write' }, held: { of: 'primaries' } },
    { match: {}, held: { of: 'all' } },
  ])
}
