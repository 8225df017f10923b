import type { Reading, ReadingAttempt } from '../../model/observation.ts'
import { millis, type Millis } from '../../model/units.ts'

/**
 * How far the clock of a server is ahead of the service's. The server told its time at some instant of the session, so it is known
 * only to within the length of that; of what is possible it is the least, because a session that was slow moves no clock. A wake just
 * before a slow session would otherwise seem to lie inside it.
 */
export function serverClockOffset(
  { connectedAt, disconnectedAt }: Pick<ReadingAttempt, 'connectedAt' | 'disconnectedAt'>,
  { serverTime }: Pick<Reading, 'serverTime'>,
): Millis {
  const least = serverTime - disconnectedAt
  const most = serverTime - connectedAt
  return millis(Math.min(Math.max(0, least), most))
}
