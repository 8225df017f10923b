// Changes that restarted a compute, or failed to, within the time that brakes remember.
import type { Logger } from 'pino'
import { RESTART_MEMORY } from '../../decide/brake-hold.ts'
import { isEnded, restartsCompute, sentAtOf, type Change } from '../../model/policy/change.ts'
import type { Journal } from '../../model/ports/journal.ts'
import { instant, type Instant } from '../../model/units.ts'

/** More changes of one account in a week are none that a brake lets pass. */
const MAX_CHANGES = 10_000

export function createRestarts(now: () => Instant) {
  const byId = new Map<string, Change>()

  function add(change: Change) {
    const { id, kind, state } = change
    if (!restartsCompute(kind)) return
    if (isEnded(state) || sentAtOf(state) !== undefined) byId.set(id, change)
    else byId.delete(id)
  }

  return {
    add,
    /** As an earlier process left them. */
    load: async (journal: Pick<Journal, 'changes'>, account: string, log: Pick<Logger, 'error'>) => {
      try {
        const since = instant(now() - RESTART_MEMORY * 1000)
        for (const change of await journal.changes(account, { since, count: MAX_CHANGES }))
          if (!byId.has(change.id)) add(change)
        return true
      } catch (err) {
        log.error({ err, account }, 'earlier restarts could not be read: policies restart nothing')
        return false
      }
    },
    all: (): readonly Change[] => {
      const since = instant(now() - RESTART_MEMORY * 1000)
      for (const [id, { state }] of byId) if (isEnded(state) && state.endedAt < since) byId.delete(id)
      return [...byId.values()]
    },
  }
}
