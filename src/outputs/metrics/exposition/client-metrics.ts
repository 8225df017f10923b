// What the client library keeps, as the renderer has it. The library's own text is not used: it renames counters for good once
// a registry is switched to OpenMetrics.
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { RenderedFamily } from './body.ts'
import { boundText, labelText, valueText } from './format.ts'

type Kept = MetricObjectWithValues<MetricValue<string>>

export function renderClientMetric({ name, help, type, values }: Kept): RenderedFamily {
  const lines = values.map((one) => `${nameOf(one, name)}${labelsOf(one)} ${valueText(one.value)}\n`)
  return { name, help, type: type as RenderedFamily['type'], blocks: [Buffer.from(lines.join(''))] }
}

const nameOf = (one: MetricValue<string>, name: string): string =>
  'metricName' in one && typeof one.metricName === 'string' ? one.metricName : name

function labelsOf({ labels }: MetricValue<string>): string {
  const present = Object.entries(labels).filter(([, value]) => value !== undefined)
  return labelText(
    present.map(([name]) => name),
    present.map(([name, value]) =>
      name === 'le' && typeof value === 'number' ? boundText(value) : String(value),
    ),
  )
}
