// What a session of ours may have left behind, and what it saw of others.
import type { Evidence, OwnSession } from '../../model/ledger/evidence.ts'
import type { ReadingState } from '../../model/ledger/reading-state.ts'
import type { AwakeIndicators, Reading, ReadingAttempt } from '../../model/observation.ts'
import { instant, type Instant } from '../../model/units.ts'
import { serverClockOffset } from './clock-offset.ts'
import { usageBetween } from './usage-delta.ts'

/** What earlier readings told: how far the service's clock is ahead of ours, and the counters. */
type Before = Pick<ReadingState, 'clockOffset' | 'last' | 'failures'>

export function addOwnSession(evidence: Evidence, attempt: ReadingAttempt, before: Before): Evidence {
  const footprint = footprintOf(attempt, before)
  if (evidence.ownSessions.some(({ connectedAt }) => connectedAt === footprint.connectedAt)) return evidence
  const footprints = [...evidence.ownSessions, footprint]
  return { ...evidence, ownSessions: footprints.toSorted((a, b) => a.connectedAt - b.connectedAt) }
}

function footprintOf(attempt: ReadingAttempt, before: Before): OwnSession {
  const { connectedAt, disconnectedAt, look, result, activityLag } = attempt
  const reading = result.kind === 'read' ? result.reading : undefined
  const ahead = reading ? serverClockOffset(attempt, reading) : (before.clockOffset ?? 0)
  const begun = instant(connectedAt + ahead)
  return {
    connectedAt: begun,
    disconnectedAt: instant(disconnectedAt + ahead),
    shownAwakeAt: look.answeredAt,
    activeBefore: look.compute.lastActive,
    hiddenFrom: instant(look.askedAt + ahead - activityLag * 1000),
    ...(reading ? seenBy(reading, before, begun) : SAW_NOTHING),
  }
}

type Seen = Pick<
  OwnSession,
  'postmasterStartedAt' | 'sawClients' | 'counts' | 'lastClientActivity' | 'arrivalRate'
>

const SAW_NOTHING: Seen = {
  postmasterStartedAt: undefined,
  sawClients: false,
  counts: false,
  lastClientActivity: undefined,
  arrivalRate: undefined,
}

function seenBy(reading: Reading, before: Before, begun: Instant): Seen {
  const { kind, causes, postmasterStartedAt } = reading
  const known = { postmasterStartedAt, counts: kind === 'full', arrivalRate: arrivalRateOf(reading, before) }
  if ('missing' in causes) return { ...known, sawClients: false, lastClientActivity: undefined }
  const last = causes.lastForeignStatement
  return {
    ...known,
    sawClients: isForeign(causes, begun),
    lastClientActivity: last !== undefined && last >= postmasterStartedAt ? last : undefined,
  }
}

/** Clients at work, or one whose statement ended while we were there. */
const isForeign = (
  { working, idleInTransaction, lastForeignStatement }: AwakeIndicators,
  begun: Instant,
): boolean => working + idleInTransaction > 0 || (lastForeignStatement ?? 0) >= begun

function arrivalRateOf(reading: Reading, before: Before): number | undefined {
  const grown = usageBetween(before, reading)
  return grown && (grown.arrivals * 1000) / grown.span
}
