// Which answers tell the service's time, and what all of them told so far.
import type { Clock, ServiceTime } from '../../model/ports/clock.ts'
import { addDatedResponse, type ServiceTimeEstimate } from '../../model/service/service-time.ts'
import { instant, seconds, type Instant } from '../../model/units.ts'
import { headerOf, type RequestReport, type ResponseHeaders } from './request.ts'

export type ServiceTimeLog = ServiceTime & {
  /** To be told of every request as soon as it is answered. */
  readonly heard: (report: Pick<RequestReport, 'code' | 'headers' | 'seconds'>) => void
}

/** Keeps what the answers of one service tell of its time. */
export function createServiceTime(clock: Pick<Clock, 'monotonic'>): ServiceTimeLog {
  let told: ServiceTimeEstimate | undefined
  return {
    told: () => told,
    heard: ({ code, headers, seconds: took }) => {
      const date = isItsOwn(code, headers) ? dateHeaderOf(headers) : undefined
      if (date === undefined) return
      const answeredOn = clock.monotonic()
      told = addDatedResponse(told, { date, sentOn: seconds(answeredOn - took), answeredOn })
    },
  }
}

/** Trouble may be told by a machine on the way, and what has an age was written for somebody else. */
const isItsOwn = (code: string, headers: ResponseHeaders): boolean =>
  Number(code) < 500 && headerOf(headers, 'age') === undefined

/** Whole seconds; undefined where there is none, or none that can be read. The interface text does not promise one. */
export function dateHeaderOf(headers: ResponseHeaders): Instant | undefined {
  const at = Date.parse(headerOf(headers, 'date') ?? '')
  return Number.isNaN(at) ? undefined : instant(at)
}
