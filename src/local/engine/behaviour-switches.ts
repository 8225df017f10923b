import { type Behaviour, DEFAULT_BEHAVIOUR } from '../control/behaviour.ts'
import type { Changes } from '../control/events.ts'
import { withoutUndefined } from '../without-undefined.ts'

export type BehaviourSwitches = ReturnType<typeof createBehaviourSwitches>

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

export function createBehaviourSwitches(initial: BehaviourChange) {
  let behaviour = changedBehaviour(DEFAULT_BEHAVIOUR, initial)
  let waiting: (() => void)[] = []
  return {
    behaviour: () => behaviour,
    change: (next: Behaviour) => {
      behaviour = next
      if (next.faults.stuckOperations) return
      const released = waiting
      waiting = []
      for (const release of released) release()
    },
    /** Counts down how often the fault still happens. */
    take: (fault: 'tooManyRequests' | 'serverErrors' | 'failingOperations') => {
      const { next } = behaviour.faults[fault]
      if (next <= 0) return false
      const remaining = { ...behaviour.faults[fault], next: next - 1 }
      behaviour = { ...behaviour, faults: { ...behaviour.faults, [fault]: remaining } }
      return true
    },
    unstuck: async () => {
      if (behaviour.faults.stuckOperations) await new Promise<void>((resolve) => void waiting.push(resolve))
    },
  }
}
