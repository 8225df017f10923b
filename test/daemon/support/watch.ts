// The daemon's passes over a simulated account with budgets, on the real store, as one process after the other.
import { pass, untimed } from '../../../src/daemon/pass/pass.ts'
import { newPassState, type PassState } from '../../../src/daemon/pass/pass-state.ts'
import type { Budget } from '../../../src/model/policy/budget.ts'
import type { Event } from '../../../src/model/output/event-kinds.ts'
import type { Store } from '../../../src/model/ports/store.ts'
import type { History } from '../../../src/model/ports/history.ts'
import { seconds } from '../../../src/model/units.ts'
import { ok } from '../../../src/std/result.ts'
import { START } from '../../local/control/build.ts'
import { seeded } from '../../simulation/seeded.ts'
import { createWorld, type Use, type World } from '../../simulation/world.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { passPlan } from '../../support/pass-plan.ts'
import { withCommit, type Rows } from '../../support/writes.ts'
import { noRedactor } from '../../support/secrets.ts'

export type Watch = {
  readonly world: World
  readonly clock: ReturnType<typeof fakeClock>
  readonly state: () => PassState
  readonly events: readonly Event[]
  /** Passes a minute apart; after each one that was killed the next process begins with what is in the store. */
  passes(count: number, budgets: readonly Budget[]): Promise<void>
  /** A new process. */
  restart(): Promise<void>
}

export type WatchOptions = {
  readonly uses: readonly Use[]
  readonly store: Store & History
  /** Whether the process is killed before or after that commit, the first is 1. */
  readonly killed?: (commit: number, rows: Rows) => 'before' | 'after' | undefined
  /** Whether the store takes no writes, while the process goes on. */
  readonly isFull?: () => boolean
}

export async function watch({ uses, store, killed, isFull }: WatchOptions): Promise<Watch> {
  const random = seeded(1)
  const clock = fakeClock(new Date(START).toISOString())
  const world = createWorld(uses, { clock, random })
  const events: Event[] = []
  let commits = 0
  let isDead = false
  let state = newPassState(await store.account('main').load())
  const mortal = withCommit(store, async (rows, commit) => {
    if (isFull?.()) throw new Error('the disk is full')
    commits += 1
    const when = isDead ? 'before' : killed?.(commits, rows)
    const committed = when === 'before' ? ok(undefined) : await commit()
    isDead ||= when !== undefined
    if (isDead) throw new Error('killed')
    return committed
  })
  const ports = {
    clock,
    serviceTime: world.time,
    redact: noRedactor.redact,
    random,
    service: world.service,
    readings: world.readings,
    store: mortal.account('main'),
    epoch: store.epoch,
    history: store,
    send: (told: readonly Event[]) => {
      if (!isDead) events.push(...told)
      return Promise.resolve([])
    },
  }
  const restart = async (): Promise<void> => {
    isDead = false
    world.forget()
    state = newPassState(await store.account('main').load())
  }
  return {
    world,
    clock,
    state: () => state,
    events,
    restart,
    passes: async (count, budgets) => {
      const plan = passPlan({ budgets })
      for (let turn = 0; turn < count; turn += 1) {
        const done = pass(
          { ...ports, timed: untimed },
          { before: state, plan },
          new AbortController().signal,
        ).catch(() => state)
        // oxlint-disable-next-line no-await-in-loop -- one pass after the other
        await clock.advance(seconds(60))
        // oxlint-disable-next-line no-await-in-loop
        state = await done
        // oxlint-disable-next-line no-await-in-loop
        if (isDead) await restart()
      }
    },
  }
}
