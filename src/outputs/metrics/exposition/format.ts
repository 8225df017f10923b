// The two text formats of an exposition. Their samples are the same bytes; only what stands before a family's samples differs.
import type { Family } from '../catalogue/family.ts'

/** `text`: 0.0.4 of Prometheus. `openmetrics`: 1.0.0. */
export type ExpositionFormat = 'text' | 'openmetrics'

export const CONTENT_TYPE = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const satisfies Record<ExpositionFormat, string>

/** What ends a body. */
export const BODY_END = { text: '', openmetrics: '# EOF\n' } as const satisfies Record<
  ExpositionFormat,
  string
>

export type FamilyHead = Pick<Family, 'name' | 'help' | 'type'>

/** HELP and TYPE, and in OpenMetrics the UNIT where the name ends in one. `name` is with its prefix. */
export function headText({ name, help, type }: FamilyHead, format: ExpositionFormat): string {
  if (format === 'text') return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`
  // OpenMetrics names the family of a counter without what its samples end in
  const family = type === 'counter' ? name.replace(/_total$/, '') : name
  const unit = /_(seconds|bytes|ratio)$/.exec(family)?.[1]
  const unitLine = unit === undefined ? '' : `# UNIT ${family} ${unit}\n`
  return `# HELP ${family} ${escapedValue(help)}\n# TYPE ${family} ${type}\n${unitLine}`
}

/** `{a="1",b="2"}`; nothing where there are no labels. */
export const labelText = (names: readonly string[], values: readonly string[]): string =>
  names.length === 0
    ? ''
    : `{${names.map((name, index) => `${name}="${escapedValue(values[index] ?? '')}"`).join(',')}}`

/** As it stands between the quotes of a label. */
export const escapedValue = (text: string): string => escaped(text).replaceAll('"', '\\"')

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

/** A bound as both formats write it: read as text or as OpenMetrics, it is the same series. Source: OpenMetrics 1.0, "Canonical Numbers". */
export const boundText = (bound: number): string =>
  Number.isInteger(bound) ? `${bound}.0` : valueText(bound)

/** `Infinity` is written otherwise than JavaScript does. */
export function valueText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
