// A map in the order of its keys that is changed by making another, which shares nearly all of itself with the one before.

export type OrderedMap<Value> = ReadonlyMap<string, Value> & {
  /** The same with `value` under `key`. */
  readonly with: (key: string, value: Value) => OrderedMap<Value>
  /** The same without what is under `key`, if anything is. */
  readonly without: (key: string) => OrderedMap<Value>
}

/** Entries in ascending order of their keys; never empty. */
type Chunk<Value> = { readonly keys: readonly string[]; readonly values: readonly Value[] }

/** Entries of a chunk at most. Doubled, a change copies twice as much of it; halved, twice as many chunks are told of it. */
const MOST = 256

/** `entries` in the order of their keys. */
export function orderedMap<Value>(entries: Iterable<readonly [string, Value]>): OrderedMap<Value> {
  let all: OrderedMap<Value> = mapOf([], 0)
  for (const [key, value] of entries) all = all.with(key, value)
  return all
}

/** `map` itself where it is ordered, else a copy that is. */
export const asOrderedMap = <Value>(map: ReadonlyMap<string, Value>): OrderedMap<Value> =>
  isOrdered(map) ? map : orderedMap(map)

const isOrdered = <Value>(map: ReadonlyMap<string, Value>): map is OrderedMap<Value> => 'without' in map

function mapOf<Value>(chunks: readonly Chunk<Value>[], size: number): OrderedMap<Value> {
  const placeOf = (key: string) => {
    const index = Math.max(0, countUntil(chunks.length, (at) => (chunks[at]?.keys[0] ?? '') <= key) - 1)
    const chunk = chunks[index] ?? { keys: [], values: [] }
    const place = countUntil(chunk.keys.length, (at) => (chunk.keys[at] ?? '') < key)
    return { index, chunk, place, isThere: chunk.keys[place] === key }
  }
  const replaced = (index: number, by: readonly Chunk<Value>[], more: number): OrderedMap<Value> =>
    mapOf(chunks.toSpliced(index, 1, ...by), size + more)

  function* entries(): Generator<[string, Value], undefined> {
    for (const { keys, values } of chunks)
      for (let place = 0; place < keys.length; place += 1) yield [keys[place] ?? '', values[place] as Value]
  }
  // One by one and not by the iterators of the chunks: large ledgers are walked over again and again.
  function* keysOf(): Generator<string, undefined> {
    for (const { keys } of chunks)
      for (let place = 0; place < keys.length; place += 1) yield keys[place] ?? ''
  }
  function* valuesOf(): Generator<Value, undefined> {
    for (const { values } of chunks)
      for (let place = 0; place < values.length; place += 1) yield values[place] as Value
  }
  return {
    size,
    get: (key) => {
      const { chunk, place, isThere } = placeOf(key)
      return isThere ? chunk.values[place] : undefined
    },
    has: (key) => placeOf(key).isThere,
    entries,
    keys: keysOf,
    values: valuesOf,
    [Symbol.iterator]: entries,
    forEach(tell) {
      for (const [key, value] of entries()) tell(value, key, this)
    },
    with: (key, value) => {
      const { index, chunk, place, isThere } = placeOf(key)
      const keys = isThere ? chunk.keys : chunk.keys.toSpliced(place, 0, key)
      const values = chunk.values.toSpliced(place, isThere ? 1 : 0, value)
      return replaced(index, split({ keys, values }, place), isThere ? 0 : 1)
    },
    without: (key) => {
      const { index, chunk, place, isThere } = placeOf(key)
      if (!isThere) return mapOf(chunks, size)
      const left = { keys: chunk.keys.toSpliced(place, 1), values: chunk.values.toSpliced(place, 1) }
      return replaced(index, left.keys.length === 0 ? [] : [left], -1)
    },
  }
}

/** Where keys come in order, chunks are left full. */
function split<Value>({ keys, values }: Chunk<Value>, changed: number): readonly Chunk<Value>[] {
  if (keys.length <= MOST) return [{ keys, values }]
  const at = changed === MOST ? MOST : MOST / 2
  return [
    { keys: keys.slice(0, at), values: values.slice(0, at) },
    { keys: keys.slice(at), values: values.slice(at) },
  ]
}

/** Of so many places how many at the beginning are such: those that are come before those that are not. */
function countUntil(length: number, isSuch: (at: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isSuch(middle)) low = middle + 1
    else high = middle
  }
  return low
}
