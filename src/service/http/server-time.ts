// Service time by the `Date` headers of responses.
import type { Clock, ServiceTime } from '../../model/ports/clock.ts'
import { addDatedResponse, type ServiceTimeEstimate } from '../../model/service/service-time.ts'
import { instant, seconds, type Instant } from '../../model/units.ts'
import { headerOf, type RequestReport, type ResponseHeaders } from './request.ts'

export type ServiceTimeLog = ServiceTime & {
  /** To be called as soon as a request is answered. */
  readonly record: (report: Pick<RequestReport, 'code' | 'headers' | 'seconds'>) => void
}

export function createServiceTime(clock: Pick<Clock, 'monotonic'>): ServiceTimeLog {
  let estimate: ServiceTimeEstimate | undefined
  return {
    estimate: () => estimate,
    record: ({ code, headers, seconds: took }) => {
      const date = isFromService(code, headers) ? dateHeaderOf(headers) : undefined
      if (date === undefined) return
      const answeredOn = clock.monotonic()
      estimate = addDatedResponse(estimate, { date, sentOn: seconds(answeredOn - took), answeredOn })
    },
  }
}

/** A 5xx may come from a proxy, and a response with an age from a cache. */
const isFromService = (code: string, headers: ResponseHeaders): boolean =>
  Number(code) < 500 && headerOf(headers, 'age') === undefined

/** In whole seconds; undefined where it is absent or unreadable. The interface text does not promise one. */
export function dateHeaderOf(headers: ResponseHeaders): Instant | undefined {
  const at = Date.parse(headerOf(headers, 'date') ?? '')
  return Number.isNaN(at) ? undefined : instant(at)
}
