// Samples as the next snapshot has them: some values are others.
import { CATALOGUE, isPerCompute, type FamilyKey } from '../../../src/outputs/metrics/catalogue.ts'
import type { Samples } from '../../../src/outputs/metrics/exposition/samples.ts'

/** `all`: every value is another. `awake`: one compute in ten is awake, and of it what grows or is read is another. */
export type Change = 'all' | 'awake'

/** Gauges that move while a compute is awake; the others are facts and settings. */
const READ: ReadonlySet<FamilyKey> = new Set<FamilyKey>([
  'compute_last_active_timestamp_seconds',
  'compute_connections',
  'compute_file_cache_used_bytes',
  'compute_working_set_bytes',
  'compute_average_active_sessions',
  'compute_longest_transaction_seconds',
  'compute_reading_timestamp_seconds',
  'spend_uncertainty_ratio',
])

const moving = (key: FamilyKey): boolean =>
  READ.has(key) || (CATALOGUE[key].type === 'counter' && isPerCompute(CATALOGUE[key]))

/** Other values have as many digits as those of money and time. */
export const changed = (samples: Samples, change: Change, round: number): Samples =>
  new Map(
    [...samples].map(([key, series]) => {
      const { each } = CATALOGUE[key]
      const moves = (index: number): boolean =>
        change === 'all' || (moving(key) && Math.floor(index / Math.max(1, each)) % 10 === 0)
      return [
        key,
        {
          labels: series.labels.map((labels) => [...labels]),
          values: series.values.map((value, index) => {
            const more = round + ((index * 37 + round) % 1000) / 1000
            return moves(index) ? value + more : value
          }),
        },
      ]
    }),
  )
