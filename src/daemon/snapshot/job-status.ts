// When what runs again and again last succeeded, runs next, and should have succeeded again.
import type { JobView } from '../../model/output/snapshot.ts'
import { after, earliest, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { nextTick, backoff } from '../loop.ts'

/** One run, by the wall clock. */
export type JobRun = { readonly begunAt: Instant; readonly took: Seconds }

/** The runs of one account. */
export type JobRuns = {
  readonly interval: Seconds
  readonly last: JobRun
  /** In a row, the last one included. */
  readonly failures: number
  /** The last that succeeded; undefined before the first, then `since` stands for it. */
  readonly succeeded: JobRun | undefined
  /** When it began to be expected. */
  readonly since: Instant
}

/** Intervals, or runs that take longer, that a success may be late. Doubled, somebody is told of a daemon that stands still twice as late. */
const LATE = 3

/** The job as a whole is where the account is that is furthest behind; undefined where there is none. */
export function jobStatus(name: JobView['name'], accounts: readonly JobRuns[]): JobView | undefined {
  const views = accounts.map((runs) => viewOf(name, runs))
  const [first, ...others] = views
  if (!first) return undefined
  return others.reduce(
    (behind, one) => ({
      name,
      lastSuccessAt:
        behind.lastSuccessAt === undefined || one.lastSuccessAt === undefined
          ? undefined
          : earliest(behind.lastSuccessAt, one.lastSuccessAt),
      nextRunAt: earliest(behind.nextRunAt, one.nextRunAt),
      deadlineAt: earliest(behind.deadlineAt, one.deadlineAt),
    }),
    first,
  )
}

function viewOf(name: JobView['name'], { interval, last, failures, succeeded, since }: JobRuns): JobView {
  const good = succeeded ?? { begunAt: since, took: seconds(0) }
  const expected = after(nextAfter(good, interval), good.took)
  return {
    name,
    lastSuccessAt: succeeded && after(succeeded.begunAt, succeeded.took),
    nextRunAt: nextAfter(last, backoff(interval, failures)),
    // a run that fails moves nothing: the wait grows with each of them, and nobody would ever be told
    deadlineAt: after(expected, seconds(LATE * Math.max(interval, good.took))),
  }
}

const nextAfter = ({ begunAt, took }: JobRun, wait: Seconds): Instant => after(begunAt, nextTick(wait, took))
