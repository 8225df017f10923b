// Samples as the text format of Prometheus 0.0.4.
import { CATALOGUE, PREFIX } from './catalogue.ts'
import type { Steps } from '../model/steps.ts'
import type { Samples } from './collect.ts'

/** One text, families in the order of the catalogue, series in the order they were collected, a label set at most once. A step is a family. */
export function* renderText(samples: Samples): Steps<string> {
  const texts: string[] = []
  for (const [key, series] of samples) {
    const { name, type, help, labels } = CATALOGUE[key]
    const full = PREFIX + name
    const unique = new Map(series.map((sample) => [labelText(labels, sample.labels), sample.value]))
    const lines = [...unique].map(([text, value]) => `${full}${text} ${valueText(value)}\n`)
    texts.push(`# HELP ${full} ${escapedHelp(help)}\n# TYPE ${full} ${type}\n${lines.join('')}`)
    yield
  }
  return texts.join('')
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
