// Service time by the `Date` headers of responses.
import type { Clock, ServiceTime } from '../../model/ports/clock.ts'
import { addDatedResponse, type ServiceTimeEstimate } from '../../model/service/service-time.ts'
import { DAY, instant, seconds, type Instant } from '../../model/units.ts'
import { headerOf, type RequestReport, type ResponseHeaders } from './request.ts'

export type ServiceTimeLog = ServiceTime & {
  /** To be called as soon as a request is answered. */
  readonly record: (report: Pick<RequestReport, 'code' | 'headers' | 'seconds'>) => void
}

/** Times that a clock may show, 2025 to 2055: one without a battery starts before. */
const PLAUSIBLE = { from: instant(1_735_689_600_000), to: instant(2_713_910_400_000) }
/** Largest error of a plausible wall clock that answers correct, a week: further off, no certificate would verify. */
const MAX_CORRECTION = 7 * DAY

export function createServiceTime(clock: Pick<Clock, 'monotonic' | 'now'>): ServiceTimeLog {
  let estimate: ServiceTimeEstimate | undefined
  return {
    estimate: () => estimate,
    record: ({ code, headers, seconds: took }) => {
      const date = isFromService(code, headers) ? dateHeaderOf(headers) : undefined
      if (date === undefined || !isCredible(date, clock.now())) return
      const answeredOn = clock.monotonic()
      estimate = addDatedResponse(estimate, { date, sentOn: seconds(answeredOn - took), answeredOn })
    },
  }
}

const isPlausible = (at: Instant): boolean => at >= PLAUSIBLE.from && at < PLAUSIBLE.to

/** Whether a service may show `date` when the wall clock shows `now`: its word must not move the ledger by years. */
const isCredible = (date: Instant, now: Instant): boolean =>
  isPlausible(date) && (!isPlausible(now) || Math.abs(date - now) <= MAX_CORRECTION)

/** A 5xx may come from a proxy, and a response with an age from a cache. */
const isFromService = (code: string, headers: ResponseHeaders): boolean =>
  Number(code) < 500 && headerOf(headers, 'age') === undefined

/** In whole seconds; undefined where it is absent or unreadable. The interface text does not promise one. */
export function dateHeaderOf(headers: ResponseHeaders): Instant | undefined {
  const at = Date.parse(headerOf(headers, 'date') ?? '')
  return Number.isNaN(at) ? undefined : instant(at)
}
