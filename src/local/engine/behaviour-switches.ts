import { type Behaviour, DEFAULT_BEHAVIOUR } from '../control/behaviour.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** The behaviour as it is now; it may change while the service runs. */
export type BehaviourSwitches = {
  behaviour(): Behaviour
  change(next: Behaviour): void
  /** Whether one more of these is to happen; counts it. */
  take(fault: 'tooManyRequests' | 'serverErrors' | 'failingOperations'): boolean
  /** Resolves as soon as operations are not stuck. */
  unstuck(): Promise<void>
}

type Some<Value> = { readonly [key in keyof Value]?: Value[key] | undefined }

/** Some positions; `errors` and `faults` are changed field by field. */
export type BehaviourChange = Some<Omit<Behaviour, 'errors' | 'faults'>> & {
  readonly errors?: Some<Behaviour['errors']> | undefined
  readonly faults?: Some<Behaviour['faults']> | undefined
}

/** What the change does not say stays. */
export const changedBehaviour = (behaviour: Behaviour, change: BehaviourChange): Behaviour => ({
  ...behaviour,
  ...withoutUndefined(change),
  errors: { ...behaviour.errors, ...withoutUndefined(change.errors ?? {}) },
  faults: { ...behaviour.faults, ...withoutUndefined(change.faults ?? {}) },
})

export function createBehaviourSwitches(first: BehaviourChange): BehaviourSwitches {
  let behaviour = changedBehaviour(DEFAULT_BEHAVIOUR, first)
  let waiting: (() => void)[] = []
  return {
    behaviour: () => behaviour,
    change: (next) => {
      behaviour = next
      if (next.faults.stuckOperations) return
      const freed = waiting
      waiting = []
      for (const free of freed) free()
    },
    take: (fault) => {
      const { next } = behaviour.faults[fault]
      if (next <= 0) return false
      const left = { ...behaviour.faults[fault], next: next - 1 }
      behaviour = { ...behaviour, faults: { ...behaviour.faults, [fault]: left } }
      return true
    },
    unstuck: () =>
      behaviour.faults.stuckOperations
        ? new Promise((resolve) => void waiting.push(resolve))
        : Promise.resolve(),
  }
}
