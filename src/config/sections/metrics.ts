// The section `metrics`.
import { z } from 'zod'
import { wholeNumberSchema } from '../units.ts'

export const metricsSchema = z
  .strictObject({
    detail: z
      .enum(['basic', 'full'])
      .prefault('basic')
      .describe('basic: what alerts and the board of the fleet need of each compute. full: all there is.'),
    per_compute: z
      .enum(['all', 'recent', 'none'])
      .prefault('all')
      .describe(
        'Which computes have series of their own; recent: those awake within a week, or with an operation in progress. All are counted by state.',
      ),
    stale_after: wholeNumberSchema(1, 1000)
      .prefault(3)
      .describe('Polls without an answer after which a state is shown as unknown.'),
    max_series: wholeNumberSchema(1000, 10_000_000)
      .prefault(100_000)
      .describe(
        'The most series of projects and computes. Beyond, what is not basic goes first, then computes that were not awake within a week, then those that cost least.',
      ),
  })
  .transform(({ per_compute: perCompute, stale_after: staleAfter, max_series: maxSeries, ...rest }) => ({
    ...rest,
    perCompute,
    staleAfter,
    maxSeries,
  }))
