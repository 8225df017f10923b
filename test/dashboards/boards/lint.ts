// The rules of https://github.com/grafana/dashboard-linter for Prometheus, under their names.
import { promtool } from '../rules/promtool.ts'
import { interpolated } from './answered.ts'
import { selectorsOf, type Selector } from './selectors.ts'

/** The part of a board that the rules check. */
export type Linted = {
  editable: boolean
  templating: { list: Variable[] }
  panels: LintedPanel[]
}
type Variable = {
  name: string
  type: string
  label: string
  query: unknown
  datasource?: { type: string; uid: string }
  multi: boolean
  includeAll: boolean
  allValue?: string
  refresh: number
}
type LintedPanel = {
  type: string
  title: string
  description?: string
  datasource?: { uid: string }
  fieldConfig?: { defaults: { unit?: string } }
  targets?: { expr: string; datasource: { uid: string } }[]
}

export type LintRule = {
  readonly name: string
  /** One line for each violation. */
  readonly check: (board: Linted) => readonly string[]
  /** What it cannot be checked without. */
  readonly needs?: 'promtool'
}

const DATASOURCE = '${datasource}'

/** Panel types with values, which need a unit. */
const VALUED = new Set(['stat', 'table', 'timeseries', 'gauge', 'bargauge', 'state-timeline', 'heatmap'])

/** Units of Grafana that metrics of Dormouse can have. */
const UNITS = new Set(
  'none short percentunit percent s ms m h d bytes decbytes Bps reqps ops cps iops rps dateTimeAsIso dateTimeFromNow bool'.split(
    ' ',
  ),
)

const queries = ({ panels }: Linted): { readonly panel: string; readonly expr: string }[] =>
  panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ panel: title, expr })))

const variables = ({ templating }: Linted, type: string): readonly Variable[] =>
  templating.list.filter((one) => one.type === type)

const valued = ({ panels }: Linted): readonly LintedPanel[] => panels.filter(({ type }) => VALUED.has(type))

/** A violation per failing selector. */
const eachSelector =
  (fails: (selector: Selector) => boolean) =>
  (board: Linted): readonly string[] =>
    queries(board).flatMap(({ panel, expr }) =>
      selectorsOf(expr)
        .filter(fails)
        .map(({ name }) => `${panel}: ${name}`),
    )

/** The matcher for the target of a series; recorded series have none. */
const lacks =
  (label: string) =>
  ({ name, matchers = '' }: Selector): boolean =>
    !name.includes(':') && !matchers.split(',').includes(`${label}=~"$${label}"`)

function chosenBy(name: string, { templating }: Linted): readonly string[] {
  const found = templating.list.find((one) => one.name === name)
  if (!found) return [`no variable ${name}`]
  const { type, label, datasource, multi, includeAll, allValue } = found
  const isRight =
    type === 'query' &&
    label.toLowerCase() === name &&
    datasource?.uid === DATASOURCE &&
    multi &&
    includeAll &&
    allValue === '.+'
  return isRight ? [] : [`the variable ${name}`]
}

const isLabels = (query: unknown): boolean =>
  /^(label_values\([^{}]+\{?.*\}?, \w+\)|query_result\(.+\))$/.test(textOf(query))
const textOf = (query: unknown): string =>
  typeof query === 'object' && query !== null && 'query' in query ? String(query.query) : String(query)

/** PromQL in the query of a variable. */
const asked = (query: unknown): string =>
  /^label_values\((.+), \w+\)$/.exec(textOf(query))?.[1] ??
  /^query_result\((.+)\)$/.exec(textOf(query))?.[1] ??
  ''

function unparsed(exprs: readonly string[]): readonly string[] {
  const rules = exprs.map((expr, index) => ({
    record: `board:query_${index}`,
    expr: interpolated(expr, new Map()),
  }))
  const { ok, said } = promtool(['check', 'rules', 'rules.yaml'], {
    'rules.yaml': { groups: [{ name: 'board', rules }] },
  })
  return ok ? [] : [said]
}

export const RULES: readonly LintRule[] = [
  {
    name: 'template-datasource-rule',
    check: (board) => {
      const found = variables(board, 'datasource')
      return found.length === 1 && found[0]?.name === 'datasource' && found[0].label === 'Data source'
        ? []
        : ['the variable datasource']
    },
  },
  { name: 'template-job-rule', check: (board) => chosenBy('job', board) },
  { name: 'template-instance-rule', check: (board) => chosenBy('instance', board) },
  {
    name: 'template-label-promql-rule',
    needs: 'promtool',
    check: (board) => {
      const all = variables(board, 'query')
      const strange = all.filter(({ query }) => !isLabels(query)).map(({ name }) => name)
      return [...strange, ...unparsed(all.map(({ query }) => asked(query)))]
    },
  },
  {
    name: 'template-on-time-change-reload-rule',
    check: (board) =>
      variables(board, 'query')
        .filter(({ refresh }) => refresh !== 2)
        .map(({ name }) => name),
  },
  {
    name: 'panel-datasource-rule',
    check: (board) =>
      valued(board)
        .filter(
          ({ datasource, targets = [] }) =>
            datasource?.uid !== DATASOURCE || targets.some((one) => one.datasource.uid !== DATASOURCE),
        )
        .map(({ title }) => title),
  },
  {
    name: 'panel-title-description-rule',
    check: ({ panels }) =>
      panels
        .filter(({ type, title, description = '' }) => type !== 'row' && (title === '' || description === ''))
        .map(({ title }) => title),
  },
  {
    name: 'panel-units-rule',
    check: (board) =>
      valued(board)
        .filter(({ fieldConfig }) => !UNITS.has(fieldConfig?.defaults.unit ?? ''))
        .map(({ title }) => title),
  },
  {
    name: 'panel-no-targets-rule',
    check: (board) =>
      valued(board)
        .filter(({ targets = [] }) => targets.length === 0 || targets.some(({ expr }) => expr === ''))
        .map(({ title }) => title),
  },
  {
    name: 'target-promql-rule',
    needs: 'promtool',
    check: (board) => unparsed(queries(board).map(({ expr }) => expr)),
  },
  {
    name: 'target-rate-interval-rule',
    check: (board) =>
      queries(board)
        .filter(({ expr }) => /\bi?rate\([^[\]]*\[(?!\$__rate_interval\])/.test(expr))
        .map(({ panel }) => panel),
  },
  { name: 'target-job-rule', check: eachSelector(lacks('job')) },
  { name: 'target-instance-rule', check: eachSelector(lacks('instance')) },
  {
    name: 'target-counter-agg-rule',
    check: eachSelector(
      ({ name, range, within = '' }) =>
        /_(total|bucket)$/.test(name) &&
        (range === undefined || !['rate', 'irate', 'increase'].includes(within)),
    ),
  },
  { name: 'uneditable-dashboard', check: ({ editable }) => (editable ? ['it can be edited'] : []) },
]

/** Rules that the boards break on purpose → reason. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'template-instance-rule':
    'a job is one daemon: its replicas show the same, and the queries take one of them',
  'target-instance-rule': 'as template-instance-rule',
}
