// A board as Grafana JSON: panels in sections, variables above them, links to the other boards.
import { metricName } from '../rules/rule.ts'
import { MATCHERS, seriesOf, perCompute } from './query.ts'
import { DATASOURCE, type Panel, type PanelJson } from './panel.ts'

export type Board = {
  readonly uid: string
  readonly title: string
  readonly description: string
  /** Default start of the time range: `now-24h`. */
  readonly from: string
  /** Variable whose default is its first value instead of all. */
  readonly oneOf?: 'compute'
  readonly sections: readonly BoardSection[]
  readonly annotations: readonly Annotation[]
}

/** A heading with lines of panels. */
export type BoardSection = {
  readonly title: string
  readonly lines: readonly { readonly height: number; readonly panels: readonly Panel[] }[]
}

/** Marks over every panel where something happened. */
export type Annotation = {
  readonly name: string
  /** PromQL, above 0 where it happened. */
  readonly expr: string
  readonly text: string
  readonly color: string
  readonly isEnabled: boolean
}

type Grid = { readonly h: number; readonly w: number; readonly x: number; readonly y: number }

export type PlacedPanel = PanelJson & {
  readonly id: number
  readonly gridPos: Grid
  readonly datasource: typeof DATASOURCE
}
export type SectionHeading = {
  readonly type: 'row'
  readonly title: string
  readonly id: number
  readonly gridPos: Grid
  readonly collapsed: false
  readonly panels: readonly []
}

const WIDTH = 24
/** Tag of every board; the link menu lists the boards that have it. */
const TAG = 'dormouse'

export type BoardJson = ReturnType<typeof boardJson>

export function boardJson({ uid, title, description, from, oneOf, sections, annotations }: Board) {
  const panels = placePanels(sections)
  const queries = JSON.stringify([panels, annotations])
  return {
    annotations: { list: [BUILT_IN_ANNOTATIONS, ...annotations.map(annotationJson)] },
    description,
    editable: false,
    fiscalYearStartMonth: 0,
    graphTooltip: 1,
    id: null,
    links: [LINKS],
    panels,
    preload: false,
    refresh: '1m',
    schemaVersion: 42,
    tags: [TAG],
    templating: {
      list: [DATASOURCE_VARIABLE, ...VARIABLES.map((variable) => variableJson(variable, { queries, oneOf }))],
    },
    time: { from, to: 'now' },
    timepicker: {},
    timezone: 'browser',
    title,
    uid,
  }
}

const LINKS = {
  asDropdown: false,
  icon: 'external link',
  includeVars: true,
  keepTime: true,
  tags: [TAG],
  targetBlank: false,
  title: 'Dormouse',
  tooltip: '',
  type: 'dashboards',
  url: '',
} as const

const BUILT_IN_ANNOTATIONS = {
  builtIn: 1,
  datasource: { type: 'grafana', uid: '-- Grafana --' },
  enable: true,
  hide: true,
  iconColor: 'rgba(0, 211, 255, 1)',
  name: 'Annotations & Alerts',
  type: 'dashboard',
} as const

const annotationJson = ({ name, expr, text, color, isEnabled }: Annotation) => ({
  datasource: DATASOURCE,
  enable: isEnabled,
  hide: false,
  iconColor: color,
  name,
  target: { datasource: DATASOURCE, expr, interval: '1m', refId: 'Anno' },
  textFormat: text,
  titleFormat: name,
})

function placePanels(sections: readonly BoardSection[]): readonly (PlacedPanel | SectionHeading)[] {
  const panels: (PlacedPanel | SectionHeading)[] = []
  let y = 0
  for (const { title, lines } of sections) {
    const gridPos = { h: 1, w: WIDTH, x: 0, y }
    panels.push({ collapsed: false, gridPos, id: panels.length + 1, panels: [], title, type: 'row' })
    y += 1
    for (const { height, panels: line } of lines) {
      let x = 0
      for (const { width, json } of line) {
        const panelPos = { h: height, w: width, x, y }
        panels.push({ ...json, datasource: DATASOURCE, gridPos: panelPos, id: panels.length + 1 })
        x += width
      }
      y += height
    }
  }
  return panels
}

/** No default: Grafana takes the first value there is. */
const NO_DEFAULT = { text: '', value: '' } as const

const DATASOURCE_VARIABLE = {
  current: NO_DEFAULT,
  hide: 0,
  includeAll: false,
  label: 'Data source',
  multi: false,
  name: 'datasource',
  options: [],
  query: 'prometheus',
  refresh: 1,
  regex: '',
  type: 'datasource',
} as const

type Variable = {
  readonly name: string
  readonly label: string
  readonly query: string
  readonly regex?: string
  /** Regular expression for all values; undefined where one value is chosen at a time. */
  readonly allValue?: '.+' | '.*'
}

/** The menu shows project names; the queries use ids. */
const PROJECTS = `query_result(max by (project_id, project_name) (${seriesOf('project_info', ...MATCHERS.team)}))`

/** In order: the query of a variable may use those before it. */
const VARIABLES: readonly Variable[] = [
  { name: 'job', label: 'Job', query: `label_values(${metricName('build_info')}, job)`, allValue: '.+' },
  // `.*` matches the empty team: computes without a team are among all of them
  { name: 'team', label: 'Team', query: `label_values(${seriesOf('compute_info')}, team)`, allValue: '.*' },
  {
    name: 'project',
    label: 'Project',
    query: PROJECTS,
    regex: '/project_id="(?<value>[^"]+)".*project_name="(?<text>[^"]*)"/',
    allValue: '.+',
  },
  {
    name: 'compute',
    label: 'Compute',
    query: `label_values(${seriesOf('compute_info', ...MATCHERS.team, ...MATCHERS.project)}, endpoint_id)`,
    allValue: '.+',
  },
  {
    name: 'budget',
    label: 'Budget',
    query: `label_values(${seriesOf('budget_info', ...MATCHERS.team)}, budget)`,
    allValue: '.+',
  },
  {
    name: 'currency',
    label: 'Currency',
    query: `label_values(${seriesOf('observer_spend_total')}, currency)`,
  },
]

/** A variable that no panel uses is hidden, not absent: links between boards pass its value on. */
const variableJson = (
  { name, label, query, regex = '', allValue }: Variable,
  { queries, oneOf }: { readonly queries: string; readonly oneOf: Board['oneOf'] },
) => ({
  ...(allValue === undefined ? {} : { allValue }),
  current: allValue === undefined || name === oneOf ? NO_DEFAULT : { text: ['All'], value: ['$__all'] },
  datasource: DATASOURCE,
  definition: query,
  hide: queries.includes(`$${name}`) ? 0 : 2,
  includeAll: allValue !== undefined,
  label,
  multi: allValue !== undefined,
  name,
  options: [],
  query: {
    qryType: query.startsWith('query_result') ? 3 : 1,
    query,
    refId: 'PrometheusVariableQueryEditor-VariableQuery',
  },
  refresh: 2,
  regex,
  sort: 1,
  type: 'query',
})

const WAKES: Annotation = {
  name: 'Wakes',
  expr: `${perCompute('compute_wakes_total', (selector) => `increase(${selector}[$__rate_interval])`)} > 0`,
  text: '{{endpoint_id}} woke',
  color: 'blue',
  isEnabled: false,
}
const RESIZED: Annotation = {
  name: 'Sizes changed',
  expr: `${perCompute('compute_cu_min', changes)} + ${perCompute('compute_cu_max', changes)} > 0`,
  text: '{{endpoint_id}}: size changed',
  color: 'purple',
  isEnabled: true,
}
const RESTARTS: Annotation = {
  name: 'Restarts',
  expr: `${perCompute('compute_restarts_total', (selector) => `increase(${selector}[$__rate_interval])`)} > 0`,
  text: '{{endpoint_id}} restarted',
  color: 'red',
  isEnabled: true,
}
const DELAYED: Annotation = {
  name: 'Delays changed',
  expr: `${perCompute('compute_autosuspend_delay_seconds', changes)} > 0`,
  text: '{{endpoint_id}}: delay changed',
  color: 'purple',
  isEnabled: true,
}
const RUNGS: Annotation = {
  name: 'Budget rungs',
  expr: `max by (budget, rung) (delta(${seriesOf('budget_rung', ...MATCHERS.budget)}[$__rate_interval])) > 0`,
  text: '{{budget}} reached {{rung}} %',
  color: 'orange',
  isEnabled: true,
}

function changes(selector: string): string {
  return `changes(${selector}[$__rate_interval])`
}

export const ANNOTATIONS = { WAKES, RESIZED, RESTARTS, DELAYED, RUNGS } as const
