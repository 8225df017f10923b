// Immutable map in the order of its keys. A changed copy shares nearly all data with the original.
import { countWhile } from './count-while.ts'

export type OrderedMap<Value> = ReadonlyMap<string, Value> & {
  readonly with: (key: string, value: Value) => OrderedMap<Value>
  readonly without: (key: string) => OrderedMap<Value>
}

/** In ascending order of keys; never empty. */
type Chunk<Value> = Readonly<{ keys: readonly string[]; values: readonly Value[] }>

/** A change copies one chunk and the list of chunks, which are of similar length in a large ledger. */
const MAX_CHUNK = 256

export function orderedMap<Value>(entries: Iterable<readonly [string, Value]>): OrderedMap<Value> {
  let all: OrderedMap<Value> = mapOf([], 0)
  for (const [key, value] of entries) all = all.with(key, value)
  return all
}

/** `map` itself where it is ordered. */
export const asOrderedMap = <Value>(map: ReadonlyMap<string, Value>): OrderedMap<Value> =>
  isOrdered(map) ? map : orderedMap(map)

const isOrdered = <Value>(map: ReadonlyMap<string, Value>): map is OrderedMap<Value> => 'without' in map

function mapOf<Value>(chunks: readonly Chunk<Value>[], size: number): OrderedMap<Value> {
  const locate = (key: string) => {
    const chunkIndex = Math.max(0, countWhile(chunks.length, (at) => (chunks[at]?.keys[0] ?? '') <= key) - 1)
    const chunk = chunks[chunkIndex] ?? { keys: [], values: [] }
    const index = countWhile(chunk.keys.length, (at) => (chunk.keys[at] ?? '') < key)
    return { chunkIndex, chunk, index, exists: chunk.keys[index] === key }
  }
  const replaceChunk = (chunkIndex: number, by: readonly Chunk<Value>[], added: number): OrderedMap<Value> =>
    mapOf(chunks.toSpliced(chunkIndex, 1, ...by), size + added)

  const entries = () =>
    chunks
      .values()
      .flatMap(({ keys, values }) => keys.map((key, index): [string, Value] => [key, values[index] as Value]))
  return {
    size,
    get: (key) => {
      const { chunk, index, exists } = locate(key)
      return exists ? chunk.values[index] : undefined
    },
    has: (key) => locate(key).exists,
    entries,
    keys: () => chunks.values().flatMap(({ keys }) => keys),
    values: () => chunks.values().flatMap(({ values }) => values),
    [Symbol.iterator]: entries,
    forEach(callback) {
      for (const [key, value] of entries()) callback(value, key, this)
    },
    with: (key, value) => {
      const { chunkIndex, chunk, index, exists } = locate(key)
      const keys = exists ? chunk.keys : chunk.keys.toSpliced(index, 0, key)
      const values = chunk.values.toSpliced(index, exists ? 1 : 0, value)
      return replaceChunk(chunkIndex, split({ keys, values }, index), exists ? 0 : 1)
    },
    without: (key) => {
      const { chunkIndex, chunk, index, exists } = locate(key)
      if (!exists) return mapOf(chunks, size)
      const smaller = { keys: chunk.keys.toSpliced(index, 1), values: chunk.values.toSpliced(index, 1) }
      return replaceChunk(chunkIndex, smaller.keys.length === 0 ? [] : [smaller], -1)
    },
  }
}

/** In half, but at its end when keys arrive in order, so that chunks stay full. */
function split<Value>({ keys, values }: Chunk<Value>, changed: number): readonly Chunk<Value>[] {
  if (keys.length <= MAX_CHUNK) return [{ keys, values }]
  const at = changed === MAX_CHUNK ? MAX_CHUNK : MAX_CHUNK / 2
  return [
    { keys: keys.slice(0, at), values: values.slice(0, at) },
    { keys: keys.slice(at), values: values.slice(at) },
  ]
}
