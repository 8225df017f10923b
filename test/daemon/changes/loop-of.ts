// The apply loop on a memory store, with rules that hold nothing.
import { onTestFinished } from 'vitest'
import { createApplyLoop } from '../../../src/daemon/changes/apply-loop.ts'
import type { ApplyLoopOptions } from '../../../src/daemon/changes/apply-loop-options.ts'
import type { Change } from '../../../src/model/policy/change.ts'
import { addChange } from '../../../src/model/ports/journal.ts'
import { after, ratio, seconds, type Instant } from '../../../src/model/units.ts'
import { changeOf } from '../../support/changes.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { fakeService } from './fake-service.ts'

export type MemoryStore = ReturnType<typeof memoryStore>

type Given = Pick<ApplyLoopOptions, 'clock' | 'service'> &
  Partial<ApplyLoopOptions> &
  Readonly<{ memory: MemoryStore }>

/** Of changes that are not judged. */
export const NO_VERIFICATION: Pick<ApplyLoopOptions, 'verification' | 'revertOf'> = {
  verification: {
    baselineOf: () => Promise.resolve(undefined),
    judge: () => Promise.reject(new Error('nothing is judged')),
  },
  revertOf: () => {
    throw new Error('nothing is taken back')
  },
}

export const loopOf = ({ memory, ...given }: Given) =>
  createApplyLoop({
    account: 'main',
    random: { unit: () => 0.5, uuid: () => '' },
    store: memory.account('main'),
    journal: memory,
    epoch: memory.epoch,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    requestsPerSecond: 100,
    isPassing: () => false,
    send: () => Promise.resolve([]),
    stoppedBy: () => undefined,
    policyHold: () => undefined,
    isCurrent: () => memory.isCurrent(),
    isKeyRefused: () => false,
    countSessions: () => Promise.resolve('unknown'),
    rungsOf: () => undefined,
    isSuspensionNear: () => false,
    rulesOf: () =>
      Promise.resolve({
        shortenedAt: undefined,
        siblings: undefined,
        arrival: () => ratio(0),
        use: undefined,
      }),
    clockOffset: () => 0,
    isClockSteady: () => true,
    ...NO_VERIFICATION,
    isDeleted: () => false,
    published: () => undefined,
    settle: () => seconds(120),
    ...given,
  })

/** Runs the loop until the test ends. */
export function runUntilTestEnds(loop: ReturnType<typeof loopOf>): void {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  void loop.run(stop.signal)
}

/** A change that may be sent for a day. */
export const changeMadeAt = (now: Instant, fields: Partial<Change> = {}): Change =>
  changeOf({ createdAt: now, deadline: after(now, seconds(86_400)), ...fields })

type LoopPorts = Readonly<{ memory: MemoryStore; clock: Readonly<{ now: () => Instant }> }>

/** Stores a change that is made now. */
export const addChangeNow = ({ memory, clock }: LoopPorts, fields?: Partial<Change>) =>
  addChange(memory.account('main'), changeMadeAt(clock.now(), fields), { at: clock.now() })

/** Clock, store and service of a loop, without a change. */
export const loopPorts = () => ({ clock: fakeClock(), memory: memoryStore(), ...fakeService() })

/** Clock, store and service of a loop, with a change in the store. */
export async function loopPortsWithChange(fields?: Partial<Change>) {
  const ports = loopPorts()
  await addChangeNow(ports, fields)
  return ports
}
