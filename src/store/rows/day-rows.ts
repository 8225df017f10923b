// Row codec of days: date and version in columns, sums as JSON.
import type { DayRow } from '../../model/ledger/day.ts'
import { instant } from '../../model/units.ts'
import type { HistoryCodec } from './codec.ts'

type Sums = Omit<DayRow, 'ref' | 'date' | 'version' | 'from' | 'to'>

export const DAY_ROWS: HistoryCodec<DayRow> = {
  table: 'day',
  key: ['date', 'version'],
  columns: ['from_ms', 'to_ms', 'sums'],
  toRow: (day) => {
    const { ref: _, date, version, from, to, ...sums } = day
    return [date, version, from, to, JSON.stringify(sums)]
  },
  fromRow: (ref, row) => ({
    ref,
    date: String(row['date']),
    version: Number(row['version']),
    from: instant(Number(row['from_ms'])),
    to: instant(Number(row['to_ms'])),
    ...(JSON.parse(String(row['sums'])) as Sums),
  }),
}
