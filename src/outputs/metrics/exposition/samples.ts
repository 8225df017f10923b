// Series of a snapshot in columns, of which the next takes the place: made anew they would be most of what a snapshot leaves to
// the collector of garbage.
import type { ComputeRef } from '../../../model/service/compute.ts'
import { createIdentityCache, type IdentityCache } from '../../../std/cache.ts'
import { FAMILY_KEYS, type FamilyKey } from '../catalogue.ts'

export type LabelValues = readonly string[]

/** One family; both are as long as it has series. */
export type SeriesColumns = {
  /** Label values in the order of the family's labels. */
  readonly labels: readonly LabelValues[]
  readonly values: readonly number[]
}

/** In the order of the catalogue; a family without series is not there. They last until others are put into the same memory. */
export type Samples = ReadonlyMap<FamilyKey, SeriesColumns>

/** Adds a sample; none where the value is not known. */
export type AddSample = (key: FamilyKey, labels: LabelValues, value: number | undefined) => void

/** Where the samples of one snapshot after another are put. */
export type SampleMemory = {
  /** By identity: a compute keeps its reference from one snapshot to the next. */
  readonly computes: IdentityCache<ComputeRef, ComputeLabels>
  readonly columns: Map<FamilyKey, SampleColumn>
}

/** The first `count` are of this snapshot. */
export type SampleColumn = { readonly labels: LabelValues[]; readonly values: number[]; count: number }

export type ComputeLabels = {
  /** Project and endpoint. */
  readonly id: LabelValues
  /** Value of one label more → all three. */
  readonly more: Map<string, LabelValues>
}

export const createSampleMemory = (): SampleMemory => ({
  computes: createIdentityCache(),
  columns: new Map(),
})

export function computeLabels({ computes }: SampleMemory, ref: ComputeRef): ComputeLabels {
  const known = computes.of(ref)
  if (known) return known
  const labels = { id: [ref.projectId, ref.endpointId], more: new Map() }
  computes.keep(ref, labels)
  return labels
}

export function appendLabel({ id, more }: ComputeLabels, value: string): LabelValues {
  const known = more.get(value)
  if (known) return known
  const labels = [...id, value]
  more.set(value, labels)
  return labels
}

export type SampleCollector = {
  readonly put: AddSample
  /** What was put. */
  readonly samples: () => Samples
}

/** Of the families in `keys` only. */
export function createSampleCollector(
  keys: ReadonlySet<FamilyKey>,
  { columns }: SampleMemory,
): SampleCollector {
  for (const key of columns.keys()) if (!keys.has(key)) columns.delete(key)
  for (const key of keys) {
    const column = columns.get(key)
    if (column) column.count = 0
    else columns.set(key, { labels: [], values: [], count: 0 })
  }
  return {
    put: (key, labels, value) => {
      if (value === undefined) return
      const column = columns.get(key)
      if (!column) return
      column.labels[column.count] = labels
      column.values[column.count] = value
      column.count += 1
    },
    samples: () =>
      new Map(
        FAMILY_KEYS.flatMap((key) => {
          const column = columns.get(key)
          if (!column || column.count === 0) return []
          column.labels.length = column.count
          column.values.length = column.count
          return [[key, column] as const]
        }),
      ),
  }
}
