import type { Clock } from '../clock.ts'

/** One alarm per project. */
export type ProjectTimers = {
  /** Fires at `at`, ms, or a little before; an alarm set for earlier stays, and undefined leaves things as they are. */
  arm(projectId: string, at: number | undefined): void
  clear(): void
}

/** Early alarms are harmless: whoever hears one looks at the time and arms again. That spares a timer per activity. */
export function createProjectTimers(clock: Clock, fire: (projectId: string) => void): ProjectTimers {
  const armed = new Map<string, { readonly at: number; readonly cancel: () => void }>()
  return {
    arm: (projectId, at) => {
      const known = armed.get(projectId)
      if (at === undefined || (known && known.at <= at)) return
      known?.cancel()
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
