// Own sessions as evidence: their times, and the clients that they observed.
import type { Evidence, OwnSession } from '../../model/ledger/evidence.ts'
import type { ReadingState } from '../../model/ledger/reading-state.ts'
import { ifRead, type AwakeIndicators, type Reading, type ReadingAttempt } from '../../model/observation.ts'
import { instant, millis, type Instant, type Millis } from '../../model/units.ts'
import { usageBetween } from './usage-delta.ts'

/** From earlier readings. */
type Before = Pick<ReadingState, 'clockOffset' | 'last' | 'failures'>

export function addOwnSession(evidence: Evidence, attempt: ReadingAttempt, before: Before): Evidence {
  if (!hasSession(attempt)) return evidence
  const session = ownSessionOf(attempt, before)
  if (evidence.ownSessions.some(({ connectedAt }) => connectedAt === session.connectedAt)) return evidence
  const ownSessions = [...evidence.ownSessions, session]
  return { ...evidence, ownSessions: ownSessions.toSorted((a, b) => a.connectedAt - b.connectedAt) }
}

/** Whether the service may have seen a connection of ours. */
export const hasSession = ({ result }: ReadingAttempt): boolean =>
  result.kind !== 'failed' || !result.unconnected

function ownSessionOf(attempt: ReadingAttempt, before: Before): OwnSession {
  const { connectedAt, disconnectedAt, look, result, activityLag } = attempt
  const reading = result.kind === 'read' ? result.reading : undefined
  const offset = reading ? serverClockOffset(attempt, reading) : (before.clockOffset ?? 0)
  const connected = instant(connectedAt + offset)
  return {
    connectedAt: connected,
    disconnectedAt: instant(disconnectedAt + offset),
    shownAwakeAt: look.answeredAt,
    activeBefore: look.compute.lastActive,
    hiddenFrom: instant(look.askedAt + offset - activityLag * 1000),
    ...readingFields(reading, before, connected),
  }
}

function readingFields(reading: Reading | undefined, before: Before, connected: Instant) {
  const causes = ifRead(reading?.causes)
  const last = causes?.lastForeignStatement
  const isOfThisServer = reading && last !== undefined && last >= reading.postmasterStartedAt
  return {
    postmasterStartedAt: reading?.postmasterStartedAt,
    sawClients: causes !== undefined && sawClientActivity(causes, connected),
    counts: reading?.kind === 'full',
    lastClientActivity: isOfThisServer ? last : undefined,
    arrivalRate: reading && arrivalRateOf(reading, before),
  }
}

/** Whether clients were at work, or one ended a statement during the session. */
const sawClientActivity = (
  { working, idleInTransaction, lastForeignStatement }: AwakeIndicators,
  connected: Instant,
) => working + idleInTransaction > 0 || (lastForeignStatement ?? 0) >= connected

function arrivalRateOf(reading: Reading, before: Before): number | undefined {
  const delta = usageBetween(before, reading)
  return delta && (delta.arrivals * 1000) / delta.span
}

/**
 * From the server time that a session read: known only to within the session's length. The value closest to 0 is taken, because a
 * slow session says nothing about the clock: a wake just before it would seem to lie inside.
 */
export function serverClockOffset(
  { connectedAt, disconnectedAt }: Pick<ReadingAttempt, 'connectedAt' | 'disconnectedAt'>,
  { serverTime }: Pick<Reading, 'serverTime'>,
): Millis {
  const least = serverTime - disconnectedAt
  const most = serverTime - connectedAt
  return millis(Math.min(Math.max(0, least), most))
}
