import type { Clock } from '../clock.ts'

export type ProjectTimers = {
  /** Fires at `at`, ms, or earlier: an earlier alarm stays. Undefined changes nothing. */
  arm(projectId: string, at: number | undefined): void
  clear(): void
}

/** Creates the timers. They may fire early, so that activity needs no new timer; the receiver checks the time and arms again. */
export function createProjectTimers(clock: Clock, fire: (projectId: string) => void): ProjectTimers {
  const armed = new Map<string, { readonly at: number; readonly cancel: () => void }>()
  return {
    arm: (projectId, at) => {
      const previous = armed.get(projectId)
      if (at === undefined || (previous && previous.at <= at)) return
      previous?.cancel()
      const cancel = clock.after(at - clock.now(), () => {
        armed.delete(projectId)
        fire(projectId)
      })
      armed.set(projectId, { at, cancel })
    },
    clear: () => {
      for (const { cancel } of armed.values()) cancel()
      armed.clear()
    },
  }
}
