// When changes were under way that may wake their compute: from the request until it was verified, or could no longer take effect.
import type { Logger } from 'pino'
import {
  isEnded,
  restartsCompute,
  sentAtOf,
  type Change,
  type ChangeState,
} from '../../model/policy/change.ts'
import type { Journal } from '../../model/ports/journal.ts'
import { computeKey, isComputeRef, type ComputeRef } from '../../model/service/compute.ts'
import { HOUR, instant, type Instant, type Interval } from '../../model/units.ts'

/** A wake may be seen so long after it: operations are listed 15 minutes late. */
const MEMORY = HOUR
/** More changes do not end within the memory. */
const MAX_CHANGES = 1000

/** When the service showed the result; undefined while it has not. */
function endOf(state: ChangeState): Instant | undefined {
  const effectiveAt = 'sent' in state ? state.sent?.effectiveAt : undefined
  return effectiveAt ?? (isEnded(state) ? state.endedAt : undefined)
}

/** By start: one that has ended replaces itself as it was under way. */
type Times = Map<Instant, Instant | undefined>

export type ChangeTimes = ReturnType<typeof createChangeTimes>

export function createChangeTimes(now: () => Instant) {
  const byCompute = new Map<string, Times>()

  function add({ ref, kind, state }: Change) {
    // neither a delay nor a default wakes a compute
    if (!restartsCompute(kind) || !isComputeRef(ref)) return
    const key = computeKey(ref)
    const times = byCompute.get(key) ?? new Map<Instant, Instant | undefined>()
    const isUnderWay = state.at === 'applying' || state.at === 'verifying'
    if (!isUnderWay) for (const [from, to] of times) times.set(from, to ?? now())
    const sentAt = sentAtOf(state)
    if (sentAt !== undefined) times.set(sentAt, endOf(state))
    if (times.size > 0) byCompute.set(key, times)
  }

  return {
    add,
    /** As an earlier process left them. Never rejects: without them a wake counts as unknown. */
    load: async (journal: Pick<Journal, 'changes'>, account: string, log: Pick<Logger, 'error'>) => {
      try {
        const since = instant(now() - MEMORY)
        for (const change of await journal.changes(account, { since, count: MAX_CHANGES })) add(change)
      } catch (err) {
        log.error({ err, account }, 'earlier changes could not be read')
      }
    },
    /** Undefined where there were none within the last hour. */
    of: (ref: ComputeRef): readonly Interval[] | undefined => {
      const key = computeKey(ref)
      const times = byCompute.get(key)
      if (!times) return undefined
      const at = now()
      for (const [from, to] of times) if (to !== undefined && to < at - MEMORY) times.delete(from)
      if (times.size === 0) byCompute.delete(key)
      const found = [...times].map(([from, to]) => ({ from, to: to ?? at }))
      return found.length === 0 ? undefined : found.toSorted((a, b) => a.from - b.from)
    },
  }
}
