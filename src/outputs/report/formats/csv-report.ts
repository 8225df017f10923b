import { inMoney } from '../../text/compute-fields.ts'
import { csvLine, type CsvCell } from '../../text/csv.ts'
import type { Report, ReportCompute } from '../schema.ts'
import { computeChunks } from './json.ts'

const COLUMNS: Readonly<Record<string, (compute: ReportCompute, report: Report) => CsvCell>> = {
  week: (_, { slot }) => slot.id,
  account: (_, { account }) => account,
  project_id: (compute) => compute.project_id,
  project_name: (compute) => compute.project_name,
  endpoint_id: (compute) => compute.endpoint_id,
  name: (compute) => compute.name,
  branch_id: (compute) => compute.branch_id,
  team: (compute) => compute.team,
  tier: (compute) => compute.tier,
  cost_centre: (compute) => compute.cost_centre,
  spend: ({ spend_micros: { likely } }) => inMoney(likely),
  spend_low: ({ spend_micros: { low } }) => inMoney(low),
  spend_high: ({ spend_micros: { high } }) => inMoney(high),
  spend_before: ({ spend_before_micros: before }) => (before === null ? null : inMoney(before)),
  currency: (_, { currency }) => currency,
  awake_seconds: (compute) => compute.awake_seconds,
  awake_share: (compute) => compute.awake_share,
  cu_seconds: (compute) => compute.cu_seconds,
  idle_tail_seconds: (compute) => compute.idle_tail_seconds,
  extension_seconds: (compute) => compute.extension_seconds,
  wakes: (compute) => compute.wakes,
}

/** The header, then one text per 500 computes. */
export function renderCsv(report: Report): readonly string[] {
  const cells = Object.values(COLUMNS)
  return [
    csvLine(Object.keys(COLUMNS)),
    ...computeChunks(report).map((chunk) =>
      chunk.map((compute) => csvLine(cells.map((cell) => cell(compute, report)))).join(''),
    ),
  ]
}
