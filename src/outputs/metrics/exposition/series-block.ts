// Some series of a family as lines. What stands before a value is made text once per label set; when values are others, only
// their digits are written anew, and the bytes between them copied.
import { createByteBuffer, MAX_LINE_END } from './byte-buffer.ts'

export type SeriesBlock = {
  /** The lines. Never written again, because they may be being served: others take their place. */
  bytes: Buffer
  /** Of each series, how many bytes stand before its value; 0 of one that is left out. */
  readonly starts: Uint32Array
  /** Of each series, how many its value takes, with the end of the line; 0 of one that is left out. */
  readonly lengths: Uint8Array
  readonly values: Float64Array
}

/** `start`: the line up to its value; undefined where the series is left out. */
export type SeriesLine = { readonly start: string | undefined; readonly value: number }

export type BlockWriter = {
  readonly write: (lines: readonly SeriesLine[]) => SeriesBlock
  /** Gives the series of `block`, none of which is left out, the values that begin at `from`. */
  readonly renew: (block: SeriesBlock, values: readonly number[], from: number) => void
}

export function createBlockWriter(): BlockWriter {
  const room = createByteBuffer()
  return {
    write: (lines) => {
      const starts = new Uint32Array(lines.length)
      const lengths = new Uint8Array(lines.length)
      for (const [index, { start, value }] of lines.entries()) {
        if (start === undefined) continue
        starts[index] = room.addText(start)
        lengths[index] = room.addValue(value)
      }
      const values = Float64Array.from(lines, ({ value }) => value)
      return { bytes: room.take(), starts, lengths, values }
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
        if (copied === 0) room.lay(bytes, bytes.length + before.length * MAX_LINE_END)
        room.addPart(copied, valueAt)
        lengths[index] = room.addValue(value)
        before[index] = value
        copied = at
      }
      if (copied === 0) return
      room.addPart(copied, bytes.length)
      block.bytes = room.take()
    },
  }
}
