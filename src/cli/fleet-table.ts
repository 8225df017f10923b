// The fleet as a table: one line per compute.
import type { ComputeStatus, Fleet } from '../daemon/status.ts'

type Row = readonly string[]

/** Headings and a line per compute, in the order of the fleet. */
export const fleetLines = ({ computes }: Fleet): string[] => aligned([HEADINGS, ...computes.map(rowOf)])

const HEADINGS: Row = ['COMPUTE', 'STATE', 'CU', 'AWAKE', 'SPEND', 'HIT RATIO', 'CONNS', 'WHY']

const rowOf = (status: ComputeStatus): Row => [
  status.project_name ?? status.project_id,
  status.state,
  status.min_cu === status.max_cu ? String(status.min_cu) : `${status.min_cu}–${status.max_cu}`,
  lengthText(status.awake_seconds.likely),
  moneyText(status.spend.likely, status.spend.currency),
  status.hit_ratio === null ? '–' : `${(status.hit_ratio * 100).toFixed(1)} %`,
  status.connections === null ? '–' : `${status.connections}/${status.max_connections}`,
  shortened(status.why),
]

/** Clock times suffice on a screen that is watched. */
const shortened = (why: string): string => why.replaceAll(/\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)(\.\d+)?Z/g, '$1')

/** `42.1 s`, `12 min`, `3.4 h`. */
export function lengthText(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(1)} s`
  return seconds < 7200 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`
}

/** Small sums need their digits: a compute costs fractions of a cent a minute. */
export const moneyText = (amount: number, currency: string): string =>
  `${amount.toFixed(Math.abs(amount) < 1 ? 6 : 2)} ${currency}`

/** Columns as wide as their widest cell; no trailing white space. */
function aligned(rows: readonly Row[]): string[] {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
