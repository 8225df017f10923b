// The computes of a report as CSV, one row each.
import { csvLine, type CsvCell } from '../../text/csv.ts'
import type { Report, ReportCompute } from '../schema.ts'
import { computeChunks } from './json.ts'

const COLUMNS: Readonly<Record<string, (compute: ReportCompute, report: Report) => CsvCell>> = {
  week: (_, { slot }) => slot.id,
  account: (_, { account }) => account,
  project_id: (one) => one.project_id,
  project_name: (one) => one.project_name,
  endpoint_id: (one) => one.endpoint_id,
  name: (one) => one.name,
  branch_id: (one) => one.branch_id,
  team: (one) => one.team,
  tier: (one) => one.tier,
  cost_centre: (one) => one.cost_centre,
  spend: ({ spend_micros: { likely } }) => inMoney(likely),
  spend_low: ({ spend_micros: { low } }) => inMoney(low),
  spend_high: ({ spend_micros: { high } }) => inMoney(high),
  spend_before: ({ spend_before_micros: before }) => (before === null ? null : inMoney(before)),
  currency: (_, { currency }) => currency,
  awake_seconds: (one) => one.awake_seconds,
  awake_share: (one) => one.awake_share,
  cu_seconds: (one) => one.cu_seconds,
  idle_tail_seconds: (one) => one.idle_tail_seconds,
  extension_seconds: (one) => one.extension_seconds,
  wakes: (one) => one.wakes,
}

/** The header line, then one text per 500 computes. */
export function renderCsv(report: Report): readonly string[] {
  const cells = Object.values(COLUMNS)
  return [
    csvLine(Object.keys(COLUMNS)),
    ...computeChunks(report).map((chunk) =>
      chunk.map((compute) => csvLine(cells.map((cell) => cell(compute, report)))).join(''),
    ),
  ]
}

const inMoney = (micros: number): number => micros / 1_000_000
