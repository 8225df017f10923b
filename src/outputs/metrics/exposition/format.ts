// Samples are the same bytes in both formats; heads of families and the end of the body differ.
import type { Family } from '../catalogue/family.ts'

/** `text`: 0.0.4 of Prometheus. `openmetrics`: 1.0.0. */
export type ExpositionFormat = 'text' | 'openmetrics'

export const CONTENT_TYPE: Readonly<Record<ExpositionFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

export type FamilyHead = Pick<Family, 'help' | 'type'> & { readonly name: string }

/** In OpenMetrics also UNIT where the name ends in one. */
export function headText({ name, help, type }: FamilyHead, format: ExpositionFormat): string {
  if (format === 'text') return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`
  // in OpenMetrics the name of a counter's family lacks the `_total` of its samples
  const family = type === 'counter' ? name.replace(/_total$/, '') : name
  const unit = /_(seconds|bytes|ratio)$/.exec(family)?.[1]
  const unitLine = unit === undefined ? '' : `# UNIT ${family} ${unit}\n`
  return `# HELP ${family} ${escapedValue(help)}\n# TYPE ${family} ${type}\n${unitLine}`
}

/** `{a="1",b="2"}`; empty without labels. */
export function labelText(names: readonly string[], values: readonly string[]): string {
  const pairs = names.map((name, index) => `${name}="${escapedValue(values[index] ?? '')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

export const escapedValue = (text: string): string => escaped(text).replaceAll('"', '\\"')
const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

/** Alike in both formats, so that a bucket is one series. Source: OpenMetrics 1.0, "Canonical Numbers". */
export const boundText = (bound: number): string =>
  Number.isInteger(bound) ? `${bound}.0` : valueText(bound)

/** As Prometheus writes it: `+Inf`, `-Inf`. */
export function valueText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
