import type { Reading, ReadingAttempt } from '../../model/observation.ts'
import { millis, type Millis } from '../../model/units.ts'

/**
 * Offset of a server's clock to the service's, from the server time that a session read. It is known only to within the session's length;
 * the value closest to 0 is taken, because a slow session says nothing about the clock. Else a wake just before a slow session would seem to
 * lie inside it.
 */
export function serverClockOffset(
  { connectedAt, disconnectedAt }: Pick<ReadingAttempt, 'connectedAt' | 'disconnectedAt'>,
  { serverTime }: Pick<Reading, 'serverTime'>,
): Millis {
  const least = serverTime - disconnectedAt
  const most = serverTime - connectedAt
  return millis(Math.min(Math.max(0, least), most))
}
