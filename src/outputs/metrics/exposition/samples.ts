// The samples of a snapshot, in columns that the next snapshot reuses: made anew for each snapshot they would be most of its garbage.
import type { ComputeRef } from '../../../model/service/compute.ts'
import { createIdentityCache, type IdentityCache } from '../../../std/cache.ts'
import { FAMILY_KEYS, type FamilyKey } from '../catalogue.ts'

export type LabelValues = readonly string[]

/** The series of one family, by index. */
export type SeriesColumns = Readonly<{
  /** Label values in the order of the family's labels. */
  labels: readonly LabelValues[]
  values: readonly number[]
}>

/** Family → series, in the order of the catalogue, without families that have none. Valid until the memory is used again. */
export type Samples = ReadonlyMap<FamilyKey, SeriesColumns>

/** Adds a sample, unless its value is undefined. */
export type AddSample = (key: FamilyKey, labels: LabelValues, value: number | undefined) => void

/** Milliseconds as seconds, the unit of timestamps and durations in metrics. */
export const inSeconds = (at: number | undefined): number | undefined =>
  at === undefined ? undefined : at / 1000

/** 1 for true, 0 for false. */
export const flag = (value: boolean | undefined): number | undefined =>
  value === undefined ? undefined : Number(value)

/** What is reused from one snapshot to the next. */
export type SampleMemory = Readonly<{
  /** By identity: a compute keeps its reference object from one snapshot to the next. */
  computes: IdentityCache<ComputeRef, ComputeLabels>
  columns: Map<FamilyKey, SampleColumn>
}>

/** The first `count` items belong to the snapshot that is being collected. */
type SampleColumn = { readonly labels: LabelValues[]; readonly values: number[]; count: number }

export type ComputeLabels = Readonly<{
  /** Project id and endpoint id. */
  id: LabelValues
  /** Value of a third label → all three values. */
  more: Map<string, LabelValues>
}>

export const createSampleMemory = (): SampleMemory => ({
  computes: createIdentityCache(),
  columns: new Map(),
})

export function computeLabels({ computes }: SampleMemory, ref: ComputeRef): ComputeLabels {
  const cached = computes.get(ref)
  if (cached) return cached
  const labels = { id: [ref.projectId, ref.endpointId], more: new Map() }
  computes.set(ref, labels)
  return labels
}

export function appendLabel({ id, more }: ComputeLabels, value: string): LabelValues {
  const cached = more.get(value)
  if (cached) return cached
  const labels = [...id, value]
  more.set(value, labels)
  return labels
}

/** Samples of families that are not in `keys` are ignored. */
export function createSampleCollector(keys: ReadonlySet<FamilyKey>, { columns }: SampleMemory) {
  for (const key of columns.keys()) if (!keys.has(key)) columns.delete(key)
  for (const key of keys) {
    const column = columns.get(key)
    if (column) column.count = 0
    else columns.set(key, { labels: [], values: [], count: 0 })
  }
  return {
    put: ((key, labels, value) => {
      const column = columns.get(key)
      if (value === undefined || !column) return
      column.labels[column.count] = labels
      column.values[column.count] = value
      column.count += 1
    }) satisfies AddSample,
    samples: (): Samples =>
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
