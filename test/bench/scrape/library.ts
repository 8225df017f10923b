// The same samples in the client library, as whoever had no renderer of his own would keep them.
import { Counter, Gauge, Registry } from 'prom-client'
import { CATALOGUE, PREFIX, type FamilyKey } from '../../../src/outputs/metrics/catalogue.ts'
import type { Samples, SeriesColumns } from '../../../src/outputs/metrics/exposition/samples.ts'

export type Library = {
  /** Sets what is another value than in `before`; all of it where there is none. */
  readonly take: (samples: Samples, before: Samples | undefined) => void
  readonly text: () => Promise<string>
}

/** What both sides can tell: a histogram of the library is told observations, not what was counted of them elsewhere. */
export const comparable = (samples: Samples): Samples =>
  new Map([...samples].filter(([key]) => CATALOGUE[key].type !== 'histogram'))

/** Label objects are made here, once: finding them is no part of what is measured. */
export function createLibrary(samples: Samples): Library {
  const registry = new Registry()
  const families = new Map(
    [...samples].map(([key, series]) => [
      key,
      { metric: metricOf(key, registry), labels: labelsOf(key, series) },
    ]),
  )
  return {
    take: (next, before) => {
      for (const [key, series] of next) {
        const family = families.get(key)
        if (family) takeFamily(family, series.values, before?.get(key)?.values ?? [])
      }
    },
    text: () => registry.metrics(),
  }
}

type Labels = Record<string, string>
type Taken = {
  readonly metric: (labels: Labels, value: number) => void
  readonly labels: readonly Labels[]
}

function takeFamily({ metric, labels }: Taken, values: readonly number[], before: readonly number[]): void {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0
    if (value !== before[index]) metric(labels[index] ?? {}, value)
  }
}

const labelsOf = (key: FamilyKey, series: SeriesColumns): Labels[] =>
  series.labels.map((labels) =>
    Object.fromEntries(CATALOGUE[key].labels.map((name, at) => [name, labels[at] ?? ''])),
  )

/** A counter of the library takes no absolute value, so that a counter is set back and counted up. */
function metricOf(key: FamilyKey, registry: Registry): (labels: Labels, value: number) => void {
  const { help, labels, type } = CATALOGUE[key]
  const described = { name: PREFIX + key, help, labelNames: [...labels], registers: [registry] }
  if (type === 'gauge') {
    const gauge = new Gauge(described)
    return (at, value) => gauge.set(at, value)
  }
  const counter = new Counter(described)
  const held = new Map<Labels, number>()
  return (at, value) => {
    counter.inc(at, Math.max(0, value - (held.get(at) ?? 0)))
    held.set(at, value)
  }
}
