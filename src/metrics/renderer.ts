// Samples as lines. The text before a value is made once per label set, and of a block in which nothing changed the bytes are kept.
import type { Steps } from '../model/steps.ts'
import type { Part } from './body.ts'
import { CATALOGUE, PREFIX, type FamilyKey } from './catalogue.ts'
import type { Sample, Samples } from './collect.ts'
import { labelText, valueText } from './format.ts'

/** Immutable: it can be served while the next one is rendered. */
export type Rendered = {
  /** In the order of the samples. */
  readonly parts: readonly Part[]
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
  /** The line up to its value. */
  readonly starts: string[]
  readonly values: number[]
  /** The values as text, with the end of the line: writing a number takes longer than all the rest of it. */
  readonly shown: string[]
  readonly blocks: Buffer[]
  /** Positions of series that come again later. */
  again: ReadonlySet<number>
}

/** Renders one state after another; a family that is not in the samples is forgotten. A step is 2,000 series at most. */
export function createRenderer(): (samples: Samples) => Steps<Rendered> {
  const known = new Map<FamilyKey, Kept>()
  return function* render(samples) {
    for (const key of known.keys()) if (!samples.has(key)) known.delete(key)
    const parts: Part[] = []
    const duplicates = new Map<FamilyKey, number>()
    const failed: { key: FamilyKey; cause: unknown }[] = []
    let count = 0
    for (const [key, series] of samples) {
      try {
        const kept = known.get(key) ?? {
          labels: [],
          starts: [],
          values: [],
          shown: [],
          blocks: [],
          again: new Set(),
        }
        // a rendering that is given up halfway leaves nothing that is half new
        known.delete(key)
        yield* renderFamily(key, series, kept)
        known.set(key, kept)
        const { name, help, type } = CATALOGUE[key]
        parts.push({ name: PREFIX + name, help, type, blocks: [...kept.blocks] })
        if (kept.again.size > 0) duplicates.set(key, kept.again.size)
        count += series.length - kept.again.size
      } catch (cause) {
        failed.push({ key, cause })
      }
      yield
    }
    return { parts, series: count, duplicates, failed }
  }
}

function* renderFamily(key: FamilyKey, series: readonly Sample[], kept: Kept): Steps<void> {
  const relabelled = yield* relabel(key, series, kept)
  const before = kept.again
  if (relabelled.size > 0) kept.again = yield* repeated(kept.starts)
  // a series that is no longer the last of its labels, or is again, may be in any block
  const all = before.size > 0 || kept.again.size > 0
  const blocks = Math.ceil(series.length / BLOCK)
  kept.values.length = series.length
  kept.shown.length = series.length
  kept.blocks.length = blocks
  for (let block = 0; block < blocks; block += 1) {
    const changed = revalue(series, block, kept)
    if (changed || all || relabelled.has(block)) kept.blocks[block] = bytesOf(block, kept)
    if (block % BLOCKS === BLOCKS - 1) yield
  }
}

/** Brings labels and starts of lines up to date; returns the blocks in which one is another. */
function* relabel(key: FamilyKey, series: readonly Sample[], kept: Kept): Steps<ReadonlySet<number>> {
  const { name, labels: names } = CATALOGUE[key]
  const changed = new Set<number>()
  if (series.length < kept.starts.length) changed.add(Math.floor(series.length / BLOCK))
  for (let index = 0; index < series.length; index += 1) {
    const labels = series[index]?.labels ?? []
    if (!isSame(labels, kept.labels[index])) {
      if (labels.length !== names.length) throw new Error(`${labels.length} labels for ${names.length}`)
      kept.labels[index] = labels
      kept.starts[index] = `${PREFIX}${name}${labelText(names, labels)} `
      changed.add(Math.floor(index / BLOCK))
    }
    if (index % (BLOCK * BLOCKS) === BLOCK * BLOCKS - 1) yield
  }
  kept.labels.length = series.length
  kept.starts.length = series.length
  return changed
}

function isSame(a: readonly string[], b: readonly string[] | undefined): boolean {
  if (b === undefined || a.length !== b.length) return false
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false
  return true
}

/** Takes over the values of a block; returns whether one is another. */
function revalue(series: readonly Sample[], block: number, { values, shown }: Kept): boolean {
  let changed = false
  const end = Math.min(series.length, (block + 1) * BLOCK)
  for (let index = block * BLOCK; index < end; index += 1) {
    const value = series[index]?.value ?? Number.NaN
    if (Object.is(value, values[index])) continue
    values[index] = value
    shown[index] = `${valueText(value)}\n`
    changed = true
  }
  return changed
}

function bytesOf(block: number, { starts, shown, again }: Kept): Buffer {
  let text = ''
  const end = Math.min(starts.length, (block + 1) * BLOCK)
  for (let index = block * BLOCK; index < end; index += 1)
    if (!again.has(index)) text += `${starts[index]}${shown[index]}`
  return Buffer.from(text)
}

/** Positions of texts that come again later. */
function* repeated(texts: readonly string[]): Steps<ReadonlySet<number>> {
  const last = new Map<string, number>()
  const again = new Set<number>()
  for (const [index, text] of texts.entries()) {
    const before = last.get(text)
    if (before !== undefined) again.add(before)
    last.set(text, index)
    if (index % (BLOCK * BLOCKS) === BLOCK * BLOCKS - 1) yield
  }
  return again
}
