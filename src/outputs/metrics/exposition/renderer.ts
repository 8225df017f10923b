// Samples as lines. Of a block in which nothing changed the bytes are kept.
import type { Cooperative } from '../../../std/cooperative.ts'
import { createBlockWriter, type SeriesBlock, type BlockWriter, type SeriesLine } from './series-block.ts'
import type { RenderedFamily } from './body.ts'
import { CATALOGUE, PREFIX, type FamilyKey } from '../catalogue.ts'
import type { Samples, SeriesColumns } from './samples.ts'
import { labelCount, seriesPrefix } from './series-prefix.ts'

/** Immutable: it can be served while the next one is rendered. */
export type Rendered = {
  /** In the order of the samples. */
  readonly parts: readonly RenderedFamily[]
  readonly series: number
  /** Series that have the labels of a later one, which counts: Prometheus would refuse all for one that comes twice. */
  readonly duplicates: ReadonlyMap<FamilyKey, number>
  /** Families that could not be rendered, and are not there. */
  readonly failed: readonly { readonly key: FamilyKey; readonly cause: unknown }[]
}

/** Series of one block. Doubled, a changed value costs twice the text; halved, what is kept takes more room. */
const BLOCK = 200
/** Blocks of one step. Doubled, the event loop is held up for a few milliseconds more. */
const BLOCKS = 10

/** What is kept of a family. By position, because computes keep their order: one that comes moves those behind it, once. */
type Kept = {
  readonly labels: (readonly string[])[]
  readonly blocks: SeriesBlock[]
  /** Positions of series that come again later. */
  again: ReadonlySet<number>
}

/** Renders one state after another; a family that is not in the samples is forgotten. A step is 2,000 series at most. */
export function createRenderer(): (samples: Samples) => Cooperative<Rendered> {
  const known = new Map<FamilyKey, Kept>()
  const writer = createBlockWriter()
  return function* render(samples) {
    for (const key of known.keys()) if (!samples.has(key)) known.delete(key)
    const parts: RenderedFamily[] = []
    const duplicates = new Map<FamilyKey, number>()
    const failed: { key: FamilyKey; cause: unknown }[] = []
    let count = 0
    for (const [key, series] of samples) {
      try {
        const kept = known.get(key) ?? { labels: [], blocks: [], again: new Set() }
        // a rendering that is given up halfway leaves nothing that is half new
        known.delete(key)
        yield* renderFamily({ key, series, kept, writer })
        known.set(key, kept)
        const { name, help, type } = CATALOGUE[key]
        parts.push({ name: PREFIX + name, help, type, blocks: kept.blocks.map(({ bytes }) => bytes) })
        if (kept.again.size > 0) duplicates.set(key, kept.again.size)
        count += series.values.length - kept.again.size
      } catch (cause) {
        failed.push({ key, cause })
      }
      yield
    }
    return { parts, series: count, duplicates, failed }
  }
}

type Rendering = {
  readonly key: FamilyKey
  readonly series: SeriesColumns
  readonly kept: Kept
  readonly writer: BlockWriter
}

function* renderFamily({ key, series, kept, writer }: Rendering): Cooperative<void> {
  const relabelled = yield* relabel(key, series, kept)
  const before = kept.again
  if (relabelled.size > 0) kept.again = yield* repeated(series.labels)
  // a series that is no longer the last of its labels, or is again, may be in any block
  const all = before.size > 0 || kept.again.size > 0
  const blocks = Math.ceil(series.values.length / BLOCK)
  kept.blocks.length = blocks
  for (let block = 0; block < blocks; block += 1) {
    const known = kept.blocks[block]
    if (known === undefined || all || relabelled.has(block))
      kept.blocks[block] = writer.write(linesOf({ key, series, again: kept.again }, block))
    else writer.renew(known, series.values, block * BLOCK)
    if (block % BLOCKS === BLOCKS - 1) yield
  }
}

/** Takes over the labels; returns the blocks in which one is another. */
function* relabel(key: FamilyKey, series: SeriesColumns, kept: Kept): Cooperative<ReadonlySet<number>> {
  const wanted = labelCount(CATALOGUE[key])
  const changed = new Set<number>()
  const { length } = series.labels
  if (length < kept.labels.length) changed.add(Math.floor(length / BLOCK))
  for (let index = 0; index < length; index += 1) {
    const labels = series.labels[index] ?? []
    if (!isSame(labels, kept.labels[index])) {
      if (labels.length !== wanted) throw new Error(`${labels.length} labels for ${wanted}`)
      kept.labels[index] = labels
      changed.add(Math.floor(index / BLOCK))
    }
    if (index % (BLOCK * BLOCKS) === BLOCK * BLOCKS - 1) yield
  }
  kept.labels.length = length
  return changed
}

function isSame(a: readonly string[], b: readonly string[] | undefined): boolean {
  if (a === b) return true
  if (b === undefined || a.length !== b.length) return false
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false
  return true
}

function linesOf(
  { key, series, again }: Pick<Rendering, 'key' | 'series'> & Pick<Kept, 'again'>,
  block: number,
): readonly SeriesLine[] {
  const family = CATALOGUE[key]
  const from = block * BLOCK
  return series.labels.slice(from, from + BLOCK).map((labels, index) => ({
    start: again.has(from + index) ? undefined : seriesPrefix(family, labels),
    value: series.values[from + index] ?? Number.NaN,
  }))
}

/** Positions of labels that come again later. */
function* repeated(labels: SeriesColumns['labels']): Cooperative<ReadonlySet<number>> {
  const last = new Map<string, number>()
  const again = new Set<number>()
  for (const [index, one] of labels.entries()) {
    const text = JSON.stringify(one)
    const before = last.get(text)
    if (before !== undefined) again.add(before)
    last.set(text, index)
    if (index % (BLOCK * BLOCKS) === BLOCK * BLOCKS - 1) yield
  }
  return again
}
