// Row codec of statistics: one row a compute.
import type { ComputeStatistics } from '../../model/ledger/statistics.ts'
import { instant } from '../../model/units.ts'
import type { HistoryCodec } from './codec.ts'

export const STATISTICS_ROWS: HistoryCodec<ComputeStatistics> = {
  table: 'compute_statistics',
  key: [],
  columns: ['updated_ms', 'gap_counts'],
  toRow: ({ updatedAt, gapCounts }) => [updatedAt, JSON.stringify(gapCounts)],
  fromRow: (ref, row) => ({
    ref,
    gapCounts: JSON.parse(String(row['gap_counts'])) as readonly number[],
    updatedAt: instant(Number(row['updated_ms'])),
  }),
}
