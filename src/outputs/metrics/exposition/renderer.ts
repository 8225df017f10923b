// The bytes of a block in which nothing changed are reused.
import { createBlockWriter, type SeriesBlock, type SeriesLine } from './series-block.ts'
import type { RenderedFamily } from './body.ts'
import { CATALOGUE, PREFIX, type FamilyKey } from '../catalogue.ts'
import { labelText } from './format.ts'
import type { LabelValues, SeriesColumns } from './samples.ts'

/** Immutable: served while the next snapshot is rendered. */
type RenderedSeries = Readonly<{
  family: RenderedFamily
  series: number
  /** Left out, because a later series has the same labels: Prometheus refuses a scrape with one series twice. */
  duplicates: number
}>

export type Renderer = ReturnType<typeof createRenderer>

/** A changed value copies the bytes of its block, and every block costs some 200 bytes of memory. */
const SERIES_PER_BLOCK = 200

/** By position: computes keep their order, so a new one moves those behind it only once. */
type FamilyState = {
  readonly labels: LabelValues[]
  readonly blocks: SeriesBlock[]
  /** Series whose labels come again later. */
  repeated: ReadonlySet<number>
}

export function createRenderer() {
  const states = new Map<FamilyKey, FamilyState>()
  const writer = createBlockWriter()

  const updateBlocks = (key: FamilyKey, { labels, values }: SeriesColumns, state: FamilyState) => {
    const relabelled = updateLabels(key, labels, state)
    const before = state.repeated
    if (relabelled.size > 0) state.repeated = repeatedPositions(labels)
    // whether a series is the last with its labels may have changed in any block
    const isAnyRepeated = before.size > 0 || state.repeated.size > 0
    const lineAt = (series: LabelValues, index: number): SeriesLine => ({
      start: state.repeated.has(index) ? undefined : seriesPrefix(key, series),
      value: values[index] ?? Number.NaN,
    })
    const count = Math.ceil(values.length / SERIES_PER_BLOCK)
    state.blocks.length = count
    for (let index = 0; index < count; index += 1) {
      const block = state.blocks[index]
      const from = index * SERIES_PER_BLOCK
      if (block === undefined || isAnyRepeated || relabelled.has(index)) {
        const series = labels.slice(from, from + SERIES_PER_BLOCK)
        state.blocks[index] = writer.write(series.map((of, offset) => lineAt(of, from + offset)))
      } else writer.renew(block, values, from)
    }
  }

  return {
    /** @throws when a sample has too few or too many labels; the family is then rendered anew the next time */
    render(key: FamilyKey, columns: SeriesColumns): RenderedSeries {
      const state = states.get(key) ?? { labels: [], blocks: [], repeated: new Set() }
      states.delete(key)
      updateBlocks(key, columns, state)
      states.set(key, state)
      const { help, type } = CATALOGUE[key]
      return {
        family: { name: PREFIX + key, help, type, blocks: state.blocks.map(({ bytes }) => bytes) },
        series: columns.values.length - state.repeated.size,
        duplicates: state.repeated.size,
      }
    },
    forgetExcept(samples: ReadonlyMap<FamilyKey, unknown>) {
      for (const key of states.keys()) if (!samples.has(key)) states.delete(key)
    },
  }
}

function updateLabels(key: FamilyKey, labels: readonly LabelValues[], state: FamilyState) {
  const family = CATALOGUE[key]
  // the last label of a histogram names its line: `sum`, `count`, or the bound of a bucket
  const expected = family.labels.length + Number(family.type === 'histogram')
  const changed = new Set<number>()
  const { length } = labels
  if (length < state.labels.length) changed.add(Math.floor(length / SERIES_PER_BLOCK))
  for (let index = 0; index < length; index += 1) {
    const values = labels[index] ?? []
    if (isSame(values, state.labels[index])) continue
    if (values.length !== expected) throw new Error(`${values.length} labels for ${expected}`)
    state.labels[index] = values
    changed.add(Math.floor(index / SERIES_PER_BLOCK))
  }
  state.labels.length = length
  return changed
}

function isSame(a: LabelValues, b: LabelValues | undefined) {
  if (a === b) return true
  if (b === undefined || a.length !== b.length) return false
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false
  return true
}

function repeatedPositions(labels: readonly LabelValues[]): ReadonlySet<number> {
  const last = new Map<string, number>()
  const repeated = new Set<number>()
  for (const [index, values] of labels.entries()) {
    // UTF-8 has one text for all halves of characters
    const text = JSON.stringify(values.map((value) => value.toWellFormed()))
    const before = last.get(text)
    if (before !== undefined) repeated.add(before)
    last.set(text, index)
  }
  return repeated
}

function seriesPrefix(name: FamilyKey, values: LabelValues) {
  const { type, labels: names } = CATALOGUE[name]
  const line = values.at(-1)
  if (type !== 'histogram') return `${PREFIX}${name}${labelText(names, values)} `
  if (line === 'sum' || line === 'count') return `${PREFIX}${name}_${line}${labelText(names, values)} `
  return `${PREFIX}${name}_bucket${labelText([...names, 'le'], values)} `
}
