// The apply loop on a memory store, with rules that hold nothing.
import { createApplyLoop } from '../../../src/daemon/changes/apply-loop.ts'
import type { ApplyLoopOptions } from '../../../src/daemon/changes/apply-loop-options.ts'
import { ratio, seconds } from '../../../src/model/units.ts'
import type { memoryStore } from '../../support/memory-store.ts'

type Given = Pick<ApplyLoopOptions, 'clock' | 'service'> &
  Partial<ApplyLoopOptions> &
  Readonly<{ memory: ReturnType<typeof memoryStore> }>

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
