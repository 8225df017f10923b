// Samples as the text format of Prometheus 0.0.4.
import { CATALOGUE, PREFIX } from './catalogue.ts'
import type { Samples } from './collect.ts'

/** One text, families in the order of the catalogue, series in the order they were collected, a label set at most once. */
export function renderText(samples: Samples): string {
  const lines: string[] = []
  for (const [key, series] of samples) {
    const { name, type, help, labels } = CATALOGUE[key]
    const full = PREFIX + name
    lines.push(`# HELP ${full} ${escapedHelp(help)}`, `# TYPE ${full} ${type}`)
    const unique = new Map(series.map((sample) => [labelText(labels, sample.labels), sample.value]))
    for (const [text, value] of unique) lines.push(`${full}${text} ${valueText(value)}`)
  }
  return `${lines.join('\n')}\n`
}

const labelText = (names: readonly string[], values: readonly string[]): string =>
  names.length === 0
    ? ''
    : `{${names.map((name, index) => `${name}="${escapedValue(values[index] ?? '')}"`).join(',')}}`

const escapedValue = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

const escapedHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
