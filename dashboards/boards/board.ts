// A board: panels in rows, what can be chosen above them, and the links to the other boards.
import { metricName } from '../rules/rule.ts'
import { MATCHERS, seriesOf, perCompute } from './query.ts'
import { DATASOURCE, type Panel, type PanelJson } from './panel.ts'

export type Board = {
  readonly uid: string
  readonly title: string
  readonly description: string
  /** Of the past, at first. */
  readonly from: string
  /** The variable of which the first value is chosen at first, where it is not all of them. */
  readonly oneOf?: 'compute'
  readonly sections: readonly BoardSection[]
  readonly annotations: readonly Annotation[]
}

/** Panels under a heading, line by line. */
export type BoardSection = {
  readonly title: string
  readonly lines: readonly { readonly height: number; readonly panels: readonly Panel[] }[]
}

/** What happened, as marks over every panel. */
export type Annotation = {
  readonly name: string
  /** More than 0 where it happened. */
  readonly expr: string
  readonly text: string
  readonly color: string
  /** Whether it is shown before somebody asks for it. */
  readonly shown: boolean
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
/** Of every board: it finds the others by it. */
const TAG = 'dormouse'

export type BoardJson = ReturnType<typeof boardJson>

export function boardJson({ uid, title, description, from, oneOf, sections, annotations }: Board) {
  const panels = placed(sections)
  const asked = JSON.stringify([panels, annotations])
  return {
    annotations: { list: [GRAFANAS_OWN, ...annotations.map(annotationJson)] },
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
      list: [DATASOURCE_VARIABLE, ...VARIABLES.map((one) => variableJson(one, { asked, oneOf }))],
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

const GRAFANAS_OWN = {
  builtIn: 1,
  datasource: { type: 'grafana', uid: '-- Grafana --' },
  enable: true,
  hide: true,
  iconColor: 'rgba(0, 211, 255, 1)',
  name: 'Annotations & Alerts',
  type: 'dashboard',
} as const

const annotationJson = ({ name, expr, text, color, shown }: Annotation) => ({
  datasource: DATASOURCE,
  enable: shown,
  hide: false,
  iconColor: color,
  name,
  target: { datasource: DATASOURCE, expr, interval: '1m', refId: 'Anno' },
  textFormat: text,
  titleFormat: name,
})

function placed(sections: readonly BoardSection[]): readonly (PlacedPanel | SectionHeading)[] {
  const panels: (PlacedPanel | SectionHeading)[] = []
  let y = 0
  for (const { title, lines } of sections) {
    const gridPos = { h: 1, w: WIDTH, x: 0, y }
    panels.push({ collapsed: false, gridPos, id: panels.length + 1, panels: [], title, type: 'row' })
    y += 1
    for (const { height, panels: line } of lines) {
      let x = 0
      for (const { width, json } of line) {
        const here = { h: height, w: width, x, y }
        panels.push({ ...json, datasource: DATASOURCE, gridPos: here, id: panels.length + 1 })
        x += width
      }
      y += height
    }
  }
  return panels
}

/** Chosen at first; then Grafana takes the first there is. */
const NOTHING = { text: '', value: '' } as const

const DATASOURCE_VARIABLE = {
  current: NOTHING,
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
  /** What stands for all of them; undefined where there is one at a time. */
  readonly all?: '.+' | '.*'
}

/** Everybody's project goes by its name; the queries go by its id. */
const PROJECTS = `query_result(max by (project_id, project_name) (${seriesOf('projectInfo', ...MATCHERS.team)}))`

/** Each asks those before it. */
const VARIABLES: readonly Variable[] = [
  { name: 'job', label: 'Job', query: `label_values(${metricName('buildInfo')}, job)`, all: '.+' },
  // who is nobody's is among all of them
  { name: 'team', label: 'Team', query: `label_values(${seriesOf('computeInfo')}, team)`, all: '.*' },
  {
    name: 'project',
    label: 'Project',
    query: PROJECTS,
    regex: '/project_id="(?<value>[^"]+)".*project_name="(?<text>[^"]*)"/',
    all: '.+',
  },
  {
    name: 'compute',
    label: 'Compute',
    query: `label_values(${seriesOf('computeInfo', ...MATCHERS.team, ...MATCHERS.project)}, endpoint_id)`,
    all: '.+',
  },
  {
    name: 'budget',
    label: 'Budget',
    query: `label_values(${seriesOf('budgetInfo', ...MATCHERS.team)}, budget)`,
    all: '.+',
  },
  { name: 'currency', label: 'Currency', query: `label_values(${seriesOf('observerSpend')}, currency)` },
]

/** One that no panel asks is hidden, and there nevertheless: the links hand on what was chosen. */
const variableJson = (
  { name, label, query, regex = '', all }: Variable,
  { asked, oneOf }: { readonly asked: string; readonly oneOf: Board['oneOf'] },
) => ({
  ...(all === undefined ? {} : { allValue: all }),
  current: all === undefined || name === oneOf ? NOTHING : { text: ['All'], value: ['$__all'] },
  datasource: DATASOURCE,
  definition: query,
  hide: asked.includes(`$${name}`) ? 0 : 2,
  includeAll: all !== undefined,
  label,
  multi: all !== undefined,
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
  expr: `${perCompute('wakes', (selector) => `increase(${selector}[$__rate_interval])`)} > 0`,
  text: '{{endpoint_id}} woke',
  color: 'blue',
  shown: false,
}
const RESIZED: Annotation = {
  name: 'Sizes changed',
  expr: `${perCompute('computeCuMin', changes)} + ${perCompute('computeCuMax', changes)} > 0`,
  text: '{{endpoint_id}} has another size',
  color: 'purple',
  shown: true,
}
const RESTARTS: Annotation = {
  name: 'Restarts',
  expr: `${perCompute('restarts', (selector) => `increase(${selector}[$__rate_interval])`)} > 0`,
  text: '{{endpoint_id}} restarted',
  color: 'red',
  shown: true,
}
const DELAYED: Annotation = {
  name: 'Delays changed',
  expr: `${perCompute('autosuspendDelay', changes)} > 0`,
  text: '{{endpoint_id}} has another delay',
  color: 'purple',
  shown: true,
}
const RUNGS: Annotation = {
  name: 'Budget rungs',
  expr: `max by (budget, rung) (delta(${seriesOf('budgetRung', ...MATCHERS.budget)}[$__rate_interval])) > 0`,
  text: '{{budget}} reached {{rung}} %',
  color: 'orange',
  shown: true,
}

function changes(selector: string): string {
  return `changes(${selector}[$__rate_interval])`
}

export const ANNOTATIONS = { WAKES, RESIZED, RESTARTS, DELAYED, RUNGS } as const
