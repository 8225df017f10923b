// Status of a recurring job: last success, next run, deadline of the next success.
import type { JobView } from '../../model/output/snapshot.ts'
import { after, earliest, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { nextTick, backoff } from '../loop.ts'

/** By the wall clock. */
type JobRun = Readonly<{ begunAt: Instant; took: Seconds }>

/** Runs of a job for one account. */
export type JobRuns = Readonly<{
  interval: Seconds
  last: JobRun
  /** In a row, the last run included. */
  failures: number
  /** Undefined before the first success, then `since` is used. */
  succeeded: JobRun | undefined
  since: Instant
}>

/** Intervals, or durations of a longer run, that a success may be late: one failed run is normal, three in a row are not. */
const LATENESS_INTERVALS = 3

/** Status of the account furthest behind; undefined without accounts. */
export function jobStatus(name: JobView['name'], accounts: readonly JobRuns[]): JobView | undefined {
  const views = accounts.map(viewOf)
  const successes = views.flatMap(({ lastSuccessAt }) => lastSuccessAt ?? [])
  if (views.length === 0) return undefined
  return {
    name,
    lastSuccessAt: successes.length < views.length ? undefined : earliest(...successes),
    nextRunAt: earliest(...views.map(({ nextRunAt }) => nextRunAt)),
    deadlineAt: earliest(...views.map(({ deadlineAt }) => deadlineAt)),
  }
}

function viewOf({ interval, last, failures, succeeded, since }: JobRuns): Omit<JobView, 'name'> {
  const lastSuccess = succeeded ?? { begunAt: since, took: seconds(0) }
  const expected = after(nextAfter(lastSuccess, interval), lastSuccess.took)
  return {
    lastSuccessAt: succeeded && after(succeeded.begunAt, succeeded.took),
    nextRunAt: nextAfter(last, backoff(interval, failures)),
    // failed runs do not move the deadline: with growing backoff it would never be reached
    deadlineAt: after(expected, seconds(LATENESS_INTERVALS * Math.max(interval, lastSuccess.took))),
  }
}

const nextAfter = ({ begunAt, took }: JobRun, wait: Seconds) => after(begunAt, nextTick(wait, took))
