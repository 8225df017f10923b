import type { ComputeJson, FleetJson } from '../../daemon/http/api/status-json.ts'
import { STATE_WORDS } from '../../outputs/text/explain.ts'
import { moneyColumns, spanText } from '../../outputs/text/amounts.ts'
import { textTable } from './io.ts'

const HEADINGS = ['COMPUTE', 'STATE', 'CU', 'AWAKE', 'SPEND', 'HIT RATIO', 'CONNECTIONS', 'WHY']

export function fleetTable({ computes }: FleetJson): string {
  const money = moneyColumns(computes.map(spendOf))
  const rows = computes.map((status) =>
    rowOf(status, { name: nameOf(status, computes), spend: money(spendOf(status)) }),
  )
  return textTable(
    HEADINGS,
    rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
  )
}

const spendOf = ({ spend: { shown_likely: likely, currency } }: ComputeJson) => ({
  micros: likely * 1_000_000,
  currency,
})

const rowOf = (status: ComputeJson, { name, spend }: Readonly<{ name: string; spend: string }>) => [
  name,
  STATE_WORDS[status.state],
  status.min_cu === status.max_cu ? String(status.min_cu) : `${status.min_cu}-${status.max_cu}`,
  spanText(status.awake_seconds.likely * 1000),
  spend,
  status.hit_ratio === null ? '-' : `${(status.hit_ratio * 100).toFixed(1)} %`,
  status.connections === null ? '-' : `${status.connections} of ${status.max_connections}`,
  withoutDates(status.why),
]

/** With the compute's id if the project has several. */
function nameOf({ project_id, project_name, endpoint_id }: ComputeJson, computes: readonly ComputeJson[]) {
  const name = project_name ?? project_id
  return computes.filter((other) => other.project_id === project_id).length > 1
    ? `${name}/${endpoint_id}`
    : name
}

const withoutDates = (why: string) => why.replaceAll(/\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)(\.\d+)?Z/g, '$1')
