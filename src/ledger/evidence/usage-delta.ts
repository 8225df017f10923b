// What the counters of use grew by between two readings, our own sessions left out.
import type { ReadingState } from '../../model/ledger/reading-state.ts'
import type { AccumulatedUsage } from '../../model/ledger/reading-counters.ts'
import type { Reading } from '../../model/observation.ts'
import { millis } from '../../model/units.ts'

export const NO_ACCUMULATED_USAGE: AccumulatedUsage = { arrivals: 0, activeTime: millis(0), last: undefined }

export type UsageDelta = NonNullable<AccumulatedUsage['last']> & {
  readonly activeTime: AccumulatedUsage['activeTime']
}

/**
 * Use by others between the last reading and `later`. Our own sessions in user databases are subtracted: `later`, when it
 * is one, and the attempts in between that failed half-way and may have got that far.
 *
 * @returns undefined where the two are not of one incarnation, or somebody reset the counters in between
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

export function addUsage(account: AccumulatedUsage, grown: UsageDelta | undefined): AccumulatedUsage {
  if (!grown) return account
  const { activeTime, ...last } = grown
  return {
    arrivals: account.arrivals + last.arrivals,
    activeTime: millis(account.activeTime + activeTime),
    last,
  }
}
