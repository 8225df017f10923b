// Row codec of days: date and version in columns, sums as JSON.
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { DayRow } from '../../model/ledger/day.ts'
import { instant } from '../../model/units.ts'

type Row = Readonly<Record<string, SQLOutputValue>>

export const PUT_DAY = `
insert into day (compute, date, version, from_ms, to_ms, sums) values (?, ?, ?, ?, ?, ?)
on conflict do update set from_ms = excluded.from_ms, to_ms = excluded.to_ms, sums = excluded.sums
`
/** Removes version 0, the day in progress, when a finished version is written. */
export const END_DAY = 'delete from day where compute = ? and date = ? and version = 0 and ? > 0'

export function dayValues(compute: number, day: DayRow): SQLInputValue[] {
  const { ref: _, date, version, from, to, ...sums } = day
  return [compute, date, version, from, to, JSON.stringify(sums)]
}

export function dayFromRow(ref: ComputeRef, row: Row): DayRow {
  const sums = JSON.parse(String(row['sums'])) as Omit<DayRow, 'ref' | 'date' | 'version' | 'from' | 'to'>
  return {
    ref,
    date: String(row['date']),
    version: Number(row['version']),
    from: instant(Number(row['from_ms'])),
    to: instant(Number(row['to_ms'])),
    ...sums,
  }
}
