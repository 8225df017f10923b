// When to repeat a request that failed. Pure.
import type { FailedAttempts } from '../../model/observation.ts'
import type { ServiceError } from '../../model/service/service-error.ts'
import { seconds, type Instant } from '../../model/units.ts'

/** Whether the project itself may be what fails; a refused key and the rate limit concern the whole account. */
export const isProjectFault = ({ kind }: ServiceError): boolean =>
  kind !== 'unauthorized' && kind !== 'limited'

/** Longest pause between two attempts, 5 min: a recovery is seen within it, and a project that never recovers costs little. */
const MAX_PAUSE = seconds(300)

/** The first retry comes at once, as most failures pass; then each pause is as long as the project has failed, at most `MAX_PAUSE`. */
export const isRetryDue = (attempts: FailedAttempts | undefined, now: Instant): boolean =>
  attempts === undefined || now - attempts.at >= Math.min(attempts.at - attempts.since, MAX_PAUSE * 1000)

/** @param gone sweeps in a row in which the project did not exist, this one included */
export const recordFailure = (
  before: FailedAttempts | undefined,
  now: Instant,
  gone = 0,
): FailedAttempts => ({ since: before?.since ?? now, at: now, ...(gone > 0 && { gone }) })
