// Table panels: a row per set of labels that all queries share, a column per query.
import { needsFull } from './query.ts'
import {
  steps,
  target,
  type Mapping,
  type Override,
  type Panel,
  type PanelSpec,
  type PanelUnit,
} from './panel.ts'

/** Values of a query that has only the labels of the rows. */
export type TableColumn = {
  readonly name: string
  readonly expr: string
  readonly unit: PanelUnit
  readonly decimals?: number
  readonly mapping?: Mapping
} & Pick<PanelSpec, 'bad' | 'good'>

export type TableOptions = {
  readonly title: string
  readonly description: string
  readonly width: number
  /** Query that defines the rows; its value is hidden. */
  readonly rows: string
  /** Label of `rows` or of a column → heading, in the order of the columns. */
  readonly labels: Readonly<Record<string, string>>
  /** Labels without a column. */
  readonly hidden?: readonly string[]
  readonly columns: readonly TableColumn[]
  /** Heading of the column to sort by, descending. */
  readonly sortBy: string
  readonly links?: Readonly<Record<string, { readonly title: string; readonly url: string }>>
}

export function tablePanel({
  title,
  description,
  width,
  columns,
  sortBy,
  links = {},
  ...options
}: TableOptions): Panel {
  const { rows, labels, hidden = [] } = options
  const queries = [{ expr: rows, legend: '' }, ...columns.map(({ expr }) => ({ expr, legend: '' }))]
  const targets = queries.map((query, index) => target(query, index, { format: 'table', instant: true }))
  const values = columns.map(
    (column, index) => [`Value #${targets[index + 1]?.refId ?? ''}`, nameOf(column)] as const,
  )
  const names = [...Object.entries(labels), ...values]
  return {
    width,
    json: {
      type: 'table',
      title,
      description: columns.some(({ expr }) => needsFull(expr))
        ? `${description} Columns marked (full) are there only with metrics.detail: full.`
        : description,
      fieldConfig: {
        defaults: {
          unit: 'short',
          color: { mode: 'thresholds' },
          custom: { align: 'auto', cellOptions: { type: 'auto' }, filterable: true, inspect: false },
          mappings: [],
          thresholds: steps({}),
        },
        overrides: [...columns.map(columnOverride), ...Object.entries(links).map(linkOverride)],
      },
      options: { cellHeight: 'sm', showHeader: true, sortBy: [{ desc: true, displayName: sortBy }] },
      targets,
      transformations: [
        { id: 'merge', options: {} },
        {
          id: 'organize',
          options: {
            excludeByName: Object.fromEntries(['Time', 'Value #A', ...hidden].map((name) => [name, true])),
            includeByName: {},
            indexByName: Object.fromEntries(names.map(([name], index) => [name, index])),
            renameByName: Object.fromEntries(names),
          },
        },
      ],
    },
  }
}

const nameOf = ({ name, expr }: TableColumn): string => (needsFull(expr) ? `${name} (full)` : name)

function columnOverride(column: TableColumn): Override {
  const { unit, decimals, mapping, bad, good } = column
  const coloured = bad ?? good ?? mapping
  const properties = [
    { id: 'unit', value: unit },
    ...(decimals === undefined ? [] : [{ id: 'decimals', value: decimals }]),
    ...(mapping ? [{ id: 'mappings', value: [{ type: 'value', options: mapping }] }] : []),
    ...(bad || good ? [{ id: 'thresholds', value: steps(column) }] : []),
    ...(coloured ? [{ id: 'custom.cellOptions', value: { type: 'color-text' } }] : []),
  ]
  return { matcher: { id: 'byName', options: nameOf(column) }, properties }
}

const linkOverride = ([name, link]: readonly [
  string,
  { readonly title: string; readonly url: string },
]): Override => ({
  matcher: { id: 'byName', options: name },
  properties: [{ id: 'links', value: [{ ...link, targetBlank: false }] }],
})
