// When to ask again for what was asked for in vain. Pure.
import type { FailedAttempts } from '../../model/observation.ts'
import type { ServiceError } from '../../model/service/service-error.ts'
import { seconds, type Instant } from '../../model/units.ts'

/** Whether it may be the project that cannot be read; the key and the rate are those of the account. */
export const isProjectFault = ({ kind }: ServiceError): boolean =>
  kind !== 'unauthorized' && kind !== 'limited'

/** What fails for long is asked for again after this. Doubled, what recovers is seen twice as late; halved, what never does costs twice the requests. */
const LONGEST_REST = seconds(300)

/** Once more at once, as most failures pass; then after as long as it has failed. */
export const isRetryDue = (tried: FailedAttempts | undefined, now: Instant): boolean =>
  tried === undefined || now - tried.at >= Math.min(tried.at - tried.since, LONGEST_REST * 1000)

/** What is known after another try that failed at `now`. */
export const recordFailure = (before: FailedAttempts | undefined, now: Instant): FailedAttempts => ({
  since: before?.since ?? now,
  at: now,
})
