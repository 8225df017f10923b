// Panels in the JSON of Grafana, dashboard schema version 42. The board places them.
import { needsFull } from './query.ts'

export const DATASOURCE = { type: 'prometheus', uid: '${datasource}' } as const

/** Unit ids of Grafana. `short` where a label names the unit: a currency, or the unit of a budget. */
export type PanelUnit =
  | 'short'
  | 'none'
  | 'percentunit'
  | 's'
  | 'bytes'
  | 'reqps'
  | 'ops'
  | 'dateTimeFromNow'
  | 'dateTimeAsIso'

export type Query = { readonly expr: string; readonly legend: string }

type Step = { readonly color: string; readonly value: number | null }
export type Override = {
  readonly matcher: { readonly id: 'byName' | 'byRegexp'; readonly options: string }
  readonly properties: readonly { readonly id: string; readonly value: unknown }[]
}
type FieldConfig = {
  readonly defaults: Readonly<Record<string, unknown>> & { readonly unit?: PanelUnit }
  readonly overrides: readonly Override[]
}
export type PanelTarget = {
  readonly datasource: typeof DATASOURCE
  readonly editorMode: 'code'
  readonly expr: string
  readonly format: 'time_series' | 'table' | 'heatmap'
  readonly instant: boolean
  readonly legendFormat: string
  readonly range: boolean
  readonly refId: string
}
export type PanelJson = {
  readonly type: string
  readonly title: string
  readonly description: string
  readonly fieldConfig: FieldConfig
  readonly options: Readonly<Record<string, unknown>>
  /** Smallest step between two points. */
  readonly interval?: string
  readonly targets: readonly PanelTarget[]
  readonly transformations?: readonly { readonly id: string; readonly options: object }[]
}
export type Mapping = Readonly<
  Record<string, { readonly text: string; readonly color: string; readonly index: number }>
>

/** `width` in columns, of 24. */
export type Panel = { readonly width: number; readonly json: PanelJson }

export type PanelSpec = {
  readonly title: string
  readonly description: string
  readonly width: number
  readonly unit: PanelUnit
  readonly queries: readonly Query[]
  readonly decimals?: number
  readonly min?: number
  readonly max?: number
  /** Values from which the colour is that of a problem, ascending. */
  readonly bad?: readonly (readonly [from: number, color: 'orange' | 'red'])[]
  /** Values from which the colour improves, ascending; below the first it is red. */
  readonly good?: readonly (readonly [from: number, color: 'orange' | 'green'])[]
}

/** Smallest range of a rate: values change once a minute, so five samples smooth the noise and short events stay visible. */
export const RATE_INTERVAL = '5m'
export const INTERVAL = '1m'

const REFS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

export function target(
  { expr, legend }: Query,
  index: number,
  { format = 'time_series', instant = false }: Partial<Pick<PanelTarget, 'format' | 'instant'>>,
): PanelTarget {
  return {
    datasource: DATASOURCE,
    editorMode: 'code',
    expr,
    format,
    instant,
    legendFormat: legend,
    range: !instant,
    refId: REFS.charAt(index),
  }
}

export function steps({ bad = [], good }: Pick<PanelSpec, 'bad' | 'good'>): {
  readonly mode: 'absolute'
  readonly steps: readonly Step[]
} {
  const first: Step = { color: good ? 'red' : 'green', value: null }
  return { mode: 'absolute', steps: [first, ...(good ?? bad).map(([value, color]) => ({ color, value }))] }
}

const defined = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

export function defaultsOf(
  spec: PanelSpec,
  more: Readonly<Record<string, unknown>>,
): FieldConfig['defaults'] {
  const { unit, decimals, min, max } = spec
  return { unit, ...defined({ decimals, min, max }), mappings: [], thresholds: steps(spec), ...more }
}

/** Title and description; panels and series that need `metrics.detail: full` are marked, since they are empty without. */
export function headOf({
  title,
  description,
  queries,
}: Pick<PanelSpec, 'title' | 'description' | 'queries'>): Pick<PanelJson, 'title' | 'description'> {
  const full = queries.filter(isFull)
  if (full.length === 0) return { title, description }
  return full.length === queries.length
    ? { title: `${title} (full)`, description: `${description} Empty without metrics.detail: full.` }
    : {
        title,
        description: `${description} Series marked (full) are there only with metrics.detail: full.`,
      }
}

/** Targets, with the series marked as in `headOf`. */
export function targetsOf(
  { queries }: Pick<PanelSpec, 'queries'>,
  options: Partial<Pick<PanelTarget, 'format' | 'instant'>> = {},
): readonly PanelTarget[] {
  const isMixed = !queries.every(isFull)
  return queries.map((query, index) => {
    const { expr, legend } = query
    return target({ expr, legend: isMixed && isFull(query) ? `${legend} (full)` : legend }, index, options)
  })
}

const isFull = ({ expr }: Query): boolean => needsFull(expr)
