import type { ComputeJson, FleetJson } from '../../daemon/http/api/status-json.ts'
import { STATE_WORDS } from '../../outputs/text/explain.ts'
import { countWithNoun, moneyColumns, spanText } from '../../outputs/text/amounts.ts'
import { textTable } from './io.ts'

const HEADINGS = ['COMPUTE', 'STATE', 'CU', 'AWAKE', 'SPEND', 'HIT RATIO', 'CONNECTIONS', 'WHY']

export function fleetTable({ computes, taken_at }: FleetJson): string {
  const money = moneyColumns(computes.map(spendOf))
  const counts = new Map<string, number>()
  for (const { project_id: id } of computes) counts.set(id, (counts.get(id) ?? 0) + 1)
  const rows = computes.map((status) =>
    rowOf(status, {
      name: nameOf(status, counts),
      spend: money(spendOf(status)),
      today: taken_at.slice(0, 10),
    }),
  )
  return textTable(
    HEADINGS,
    rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
  )
}

/** What totals of an account lack; nothing after the first passes of a daemon. */
export function partialLines(account: FleetJson['accounts'][number]): readonly string[] {
  const { list_complete, projects_unseen: unseen, projects_without_past: withoutPast } = account
  const lacks = [
    ...(unseen === 0 ? [] : [`${countWithNoun(unseen, 'project')} not looked at yet`]),
    ...(withoutPast === 0 ? [] : [`the past of ${countWithNoun(withoutPast, 'project')} not read yet`]),
    ...(list_complete ? [] : ['the project list is not read to its end']),
  ]
  return lacks.length === 0 ? [] : [`totals are partial: ${lacks.join(', and ')}`]
}

const spendOf = ({ spend: { shown_likely: likely, currency } }: ComputeJson) => ({
  micros: likely * 1_000_000,
  currency,
})

const rowOf = (
  status: ComputeJson,
  { name, spend, today }: Readonly<Record<'name' | 'spend' | 'today', string>>,
) => [
  name,
  STATE_WORDS[status.state],
  status.min_cu === status.max_cu ? String(status.min_cu) : `${status.min_cu}-${status.max_cu}`,
  spanText(status.awake_seconds.likely * 1000),
  spend,
  status.hit_ratio === null ? '-' : `${(status.hit_ratio * 100).toFixed(1)} %`,
  status.connections === null ? '-' : `${status.connections} of ${status.max_connections}`,
  withoutToday(status.why, today),
]

/** With the compute's id if the project has several. @param counts computes by project */
function nameOf(
  { project_id: projectId, project_name: project, endpoint_id: endpointId }: ComputeJson,
  counts: ReadonlyMap<string, number>,
) {
  const name = project ?? projectId
  return (counts.get(projectId) ?? 0) > 1 ? `${name}/${endpointId}` : name
}

/** Instants of the day `today`, UTC, as `03:08:01Z`: only their time differs from row to row. */
const withoutToday = (why: string, today: string) =>
  why.replaceAll(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\dZ)/g, (whole, date: string, time: string) =>
    date === today ? time : whole,
  )
