// Progress of a command that reads one project after the other: how many are read, and how long the rest takes.
import type { Clock } from '../../model/ports/clock.ts'
import { spanText } from '../../outputs/text/amounts.ts'
import { UNSPENT_RATE } from '../../service/rate/token-bucket.ts'
import type { Io } from './io.ts'

type ProjectsRead = Readonly<{ looked: number; projects: number }>

type ProgressOptions = Readonly<{
  /** JSON goes without progress. */
  json?: boolean | undefined
  /** Requests a minute. */
  rate: number
}>

/** Requests beyond the rate that may go out first: nothing was sent in the minute before, and people keep the other half. */
export const INITIAL_REQUESTS = 170
/** Seconds between two lines of progress outside of a terminal. */
const INTERVAL = 10

/** On standard error, so that output can be piped: in a terminal one line that is rewritten; elsewhere the first line, the last one, and between them one in 10 s at most. */
export function createProgress({ json: isJson = false, rate }: ProgressOptions, io: Io, clock: Clock) {
  const startedAt = clock.monotonic()
  let requests = 0
  let printedAt = -Infinity
  const elapsed = () => clock.monotonic() - startedAt
  return {
    countRequest: () => {
      requests += 1
    },
    show: (read: ProjectsRead) => {
      if (isJson) return
      const isLast = read.looked === read.projects
      const left = spanText(1000 * Math.ceil(timeLeft(read, { requests, elapsed: elapsed(), rate })))
      const line = `${read.looked} of ${read.projects} projects read${isLast ? '' : `, about ${left} left`}`
      if (io.progress) return io.progress(line)
      if (!isLast && elapsed() - printedAt < INTERVAL) return
      printedAt = elapsed()
      io.err(line)
    },
    /** Clears the line in a terminal. Returns what it took, as a text. */
    end: () => {
      if (!isJson) io.progress?.('')
      return `${requests} requests in ${elapsed().toFixed(0)} s`
    },
  }
}

/** `elapsed`: seconds. `rate`: requests a minute. */
type Pace = Readonly<{ requests: number; elapsed: number; rate: number }>

/**
 * Seconds until the remaining projects are read: by the rate of requests, or by the time of the answers so far where the rate does not
 * limit. Each takes as many requests as those so far; before the first, the requests so far were for the list, and each is taken to need one.
 */
export function timeLeft({ looked, projects }: ProjectsRead, { requests, elapsed, rate }: Pace): number {
  const remaining = (projects - looked) * (looked === 0 ? 1 : requests / looked)
  const allowedNow = Math.max(0, INITIAL_REQUESTS + (rate * elapsed) / 60 - requests)
  const byRate = (Math.max(0, remaining - allowedNow) * 60) / rate
  const byAnswers = (remaining * elapsed) / Math.max(1, requests)
  return Math.max(remaining / UNSPENT_RATE, allowedNow > remaining ? byAnswers : byRate)
}
