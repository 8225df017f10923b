// Status of a recurring job: its last success, its next run, and the deadline of its next success.
import type { JobView } from '../../model/output/snapshot.ts'
import { after, earliest, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { nextTick, backoff } from '../loop.ts'

/** A run, by the wall clock. */
export type JobRun = { readonly begunAt: Instant; readonly took: Seconds }

/** The runs of a job for one account. */
export type JobRuns = Readonly<{
  interval: Seconds
  last: JobRun
  /** Failures in a row, the last run included. */
  failures: number
  /** The last successful run; undefined before the first, then `since` is used instead. */
  succeeded: JobRun | undefined
  /** When the job was started. */
  since: Instant
}>

/** Intervals, or durations of a longer run, that a success may be late, 3: one failed run is normal, three in a row are not. */
const LATENESS_INTERVALS = 3

/** The status of the account that is furthest behind; undefined without accounts. */
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

const nextAfter = ({ begunAt, took }: JobRun, wait: Seconds): Instant => after(begunAt, nextTick(wait, took))
