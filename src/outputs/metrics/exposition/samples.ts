// Columns are reused by the next snapshot: made anew they would be most of its garbage.
import type { ComputeRef, ProjectRef } from '../../../model/service/compute.ts'
import { createIdentityCache, type IdentityCache } from '../../../std/cache.ts'
import { FAMILY_KEYS, type FamilyKey } from '../catalogue.ts'

export type LabelValues = readonly string[]

export type SeriesColumns = Readonly<{
  labels: readonly LabelValues[]
  values: readonly number[]
}>

/** In the order of the catalogue, without empty families. Valid until the memory is used again. */
export type Samples = ReadonlyMap<FamilyKey, SeriesColumns>

/** Unless the value is undefined or no finite number: no family means NaN by a value, and text would become lines. */
export type AddSample = (key: FamilyKey, labels: LabelValues, value: number | undefined) => void

/** Milliseconds as seconds. */
export const inSeconds = (at: number | undefined) => (at === undefined ? undefined : at / 1000)

export const flag = (value: boolean | undefined) => (value === undefined ? undefined : Number(value))

type SampleMemory = Readonly<{
  /** A compute keeps its reference object from one snapshot to the next. */
  computes: IdentityCache<ComputeRef, ComputeLabels>
  columns: Map<FamilyKey, SampleColumn>
}>

/** The first `count` items are of the snapshot that is being collected. */
type SampleColumn = { readonly labels: LabelValues[]; readonly values: number[]; count: number }

export type ComputeLabels = Readonly<{
  id: LabelValues
  /** Third label → all three. */
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

/** Labels of a compute without an endpoint id: the defaults of the project are meant. */
export const projectLabels = ({ projectId }: ProjectRef): ComputeLabels => ({
  id: [projectId, ''],
  more: new Map(),
})

export function appendLabel({ id, more }: ComputeLabels, value: string): LabelValues {
  const cached = more.get(value)
  if (cached) return cached
  const labels = [...id, value]
  more.set(value, labels)
  return labels
}

/** Ignores families that are not in `keys`. */
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
      if (value === undefined || !Number.isFinite(value) || !column) return
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
