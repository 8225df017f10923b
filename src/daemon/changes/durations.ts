// How long changes of an account that restart a compute take, from the request until they were verified. Others are shorter: none is held for less.
import type { Logger } from 'pino'
import { isEnded, restartsCompute, type Change } from '../../model/policy/change.ts'
import { FIRST_CHANGE_DURATION } from '../../model/policy/change-policy.ts'
import type { Journal } from '../../model/ports/journal.ts'
import { millis, MINUTE, seconds, type Millis, type Seconds } from '../../model/units.ts'

/** Newest changes that count. */
const MAX_CHANGES = 1000

/** Changes that are enough for a percentile. */
const ENOUGH_CHANGES = 20

export function createDurations() {
  /** Oldest first. */
  let known: readonly Millis[] = []
  let p99: Seconds | undefined
  const keep = (durations: readonly Millis[]) => {
    known = durations.slice(-MAX_CHANGES)
    p99 = undefined
  }
  return {
    add: (change: Change) => {
      const duration = durationOf(change)
      if (duration !== undefined) keep([...known, duration])
    },
    /** As an earlier process left them. Never rejects: without them a change counts as a short one. */
    load: async (journal: Pick<Journal, 'changes'>, account: string, log: Pick<Logger, 'error'>) => {
      try {
        const changes = await journal.changes(account, { count: MAX_CHANGES })
        keep([...changes.toReversed().flatMap((change) => durationOf(change) ?? []), ...known])
      } catch (err) {
        log.error({ err, account }, 'how long earlier changes took could not be read')
      }
    },
    /** The 99th percentile. */
    p99: (): Seconds => (p99 ??= percentile99(known)),
  }
}

/**
 * Longest duration that counts, ms: a change is verified within five minutes of its answer, or it fails. A longer one was only seen to its end
 * after an outage or a stop of the daemon. With fewer than 100 changes known it would be the 99th percentile, and no window be long enough.
 */
const LONGEST = 10 * MINUTE

/** Undefined where nothing was restarted, or it did not succeed, or nobody knows when. */
function durationOf({ kind, state }: Change): Millis | undefined {
  if (!restartsCompute(kind)) return undefined
  if (!isEnded(state) || (state.at !== 'done' && state.at !== 'reverted') || !state.sent) return undefined
  const took = (state.sent.effectiveAt ?? state.endedAt) - state.sent.at
  return took >= 0 && took <= LONGEST ? millis(took) : undefined
}

function percentile99(durations: readonly Millis[]): Seconds {
  const ascending = durations.toSorted((a, b) => a - b)
  const found = ascending[Math.min(ascending.length - 1, Math.floor(0.99 * ascending.length))]
  return ascending.length < ENOUGH_CHANGES || found === undefined
    ? FIRST_CHANGE_DURATION
    : seconds(found / 1000)
}
