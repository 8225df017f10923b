// A block: some series of a family as lines. The text before a value is made once per label set. When values change, only their
// digits are written anew and the bytes between them are copied.
import { createByteBuffer, MAX_LINE_END } from './byte-buffer.ts'

export type SeriesBlock = {
  /** The lines. Replaced, never changed: they may be being served. */
  bytes: Buffer
  /** Series → bytes before its value; 0 where the series is left out. */
  readonly starts: Uint32Array
  /** Series → bytes of its value and the end of the line; 0 where the series is left out. */
  readonly lengths: Uint8Array
  readonly values: Float64Array
}

/** `start`: the line up to its value; undefined leaves the series out. */
export type SeriesLine = { readonly start: string | undefined; readonly value: number }

export type BlockWriter = {
  readonly write: (lines: readonly SeriesLine[]) => SeriesBlock
  /** Replaces the values of `block` by those from `from` on. No series of it may be left out. */
  readonly renew: (block: SeriesBlock, values: readonly number[], from: number) => void
}

export function createBlockWriter(): BlockWriter {
  const buffer = createByteBuffer()
  return {
    write: (lines) => {
      const starts = new Uint32Array(lines.length)
      const lengths = new Uint8Array(lines.length)
      for (const [index, { start, value }] of lines.entries()) {
        if (start === undefined) continue
        starts[index] = buffer.addText(start)
        lengths[index] = buffer.addValue(value)
      }
      const values = Float64Array.from(lines, ({ value }) => value)
      return { bytes: buffer.take(), starts, lengths, values }
    },
    renew: (block, values, from) => {
      const { bytes, starts, lengths, values: before } = block
      let at = 0
      let copied = 0
      for (let index = 0; index < before.length; index += 1) {
        const valueAt = at + (starts[index] ?? 0)
        at = valueAt + (lengths[index] ?? 0)
        const value = values[from + index] ?? Number.NaN
        if (Object.is(value, before[index])) continue
        if (copied === 0) buffer.setSource(bytes, bytes.length + before.length * MAX_LINE_END)
        buffer.addPart(copied, valueAt)
        lengths[index] = buffer.addValue(value)
        before[index] = value
        copied = at
      }
      if (copied === 0) return
      buffer.addPart(copied, bytes.length)
      block.bytes = buffer.take()
    },
  }
}
