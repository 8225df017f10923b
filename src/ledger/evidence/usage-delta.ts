// Usage by clients between two readings, without own sessions.
import type { ReadingState, AccumulatedUsage } from '../../model/ledger/reading-state.ts'
import type { Reading } from '../../model/observation.ts'
import { millis } from '../../model/units.ts'

export const NO_ACCUMULATED_USAGE: AccumulatedUsage = { arrivals: 0, activeTime: millis(0), last: undefined }

export type UsageDelta = NonNullable<AccumulatedUsage['last']> & {
  readonly activeTime: AccumulatedUsage['activeTime']
}

/**
 * Own sessions in user databases are subtracted: `later` if it is a full reading, and failed attempts in between.
 *
 * @returns undefined where the compute restarted or the counters were reset in between
 */
export function usageBetween(
  { last, failures }: Pick<ReadingState, 'last' | 'failures'>,
  later: Reading,
): UsageDelta | undefined {
  if (!last || 'missing' in last.usage || 'missing' in later.usage) return undefined
  const span = millis(later.serverTime - last.serverTime)
  const sessions = later.usage.sessions - last.usage.sessions
  const activeTime = millis(later.usage.activeTime - last.usage.activeTime)
  const same = last.postmasterStartedAt === later.postmasterStartedAt && span > 0
  if (!same || sessions < 0 || activeTime < 0) return undefined
  const own = failures + (later.kind === 'full' ? 1 : 0)
  return { span, activeTime, arrivals: Math.max(0, sessions - own), averageActive: activeTime / span }
}

export function addUsage(usage: AccumulatedUsage, delta: UsageDelta | undefined): AccumulatedUsage {
  if (!delta) return usage
  const { activeTime, ...last } = delta
  return { arrivals: usage.arrivals + last.arrivals, activeTime: millis(usage.activeTime + activeTime), last }
}
