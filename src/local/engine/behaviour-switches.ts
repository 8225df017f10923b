import { type Behaviour, DEFAULT_BEHAVIOUR } from '../control/behaviour.ts'
import type { Changes } from '../control/events.ts'
import { withoutUndefined } from '../without-undefined.ts'

export type BehaviourSwitches = {
  behaviour(): Behaviour
  change(next: Behaviour): void
  /** Counts down how often the fault still happens. */
  take(fault: 'tooManyRequests' | 'serverErrors' | 'failingOperations'): boolean
  unstuck(): Promise<void>
}

/** Absent ones stay; `errors` and `faults` change field by field. */
export type BehaviourChange = Changes<Omit<Behaviour, 'errors' | 'faults'>> &
  Readonly<{
    errors?: Changes<Behaviour['errors']> | undefined
    faults?: Changes<Behaviour['faults']> | undefined
  }>

export const changedBehaviour = (behaviour: Behaviour, change: BehaviourChange): Behaviour => ({
  ...behaviour,
  ...withoutUndefined(change),
  errors: { ...behaviour.errors, ...withoutUndefined(change.errors ?? {}) },
  faults: { ...behaviour.faults, ...withoutUndefined(change.faults ?? {}) },
})

export function createBehaviourSwitches(initial: BehaviourChange): BehaviourSwitches {
  let behaviour = changedBehaviour(DEFAULT_BEHAVIOUR, initial)
  let waiting: (() => void)[] = []
  return {
    behaviour: () => behaviour,
    change: (next) => {
      behaviour = next
      if (next.faults.stuckOperations) return
      const released = waiting
      waiting = []
      for (const release of released) release()
    },
    take: (fault) => {
      const { next } = behaviour.faults[fault]
      if (next <= 0) return false
      const remaining = { ...behaviour.faults[fault], next: next - 1 }
      behaviour = { ...behaviour, faults: { ...behaviour.faults, [fault]: remaining } }
      return true
    },
    unstuck: () =>
      behaviour.faults.stuckOperations
        ? new Promise((resolve) => void waiting.push(resolve))
        : Promise.resolve(),
  }
}
