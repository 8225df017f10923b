// Some series of a family as lines. The text before a value is made once per label set; when values change, only digits are written anew.
import { MAX_NUMBER_LENGTH, writeNumber } from './write-number.ts'

export type SeriesBlock = {
  /** Replaced, never changed: they may be being served. */
  bytes: Buffer
  /** Series → bytes before its value; 0 where left out. */
  readonly starts: Uint32Array
  /** Series → bytes of its value and line end; 0 where left out. */
  readonly lengths: Uint8Array
  readonly values: Float64Array
}

/** `start`: up to the value; undefined leaves the series out. */
export type SeriesLine = Readonly<{ start: string | undefined; value: number }>

export function createBlockWriter() {
  const buffer = createByteBuffer()
  return {
    write: (lines: readonly SeriesLine[]): SeriesBlock => {
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
    /** Values from `from` on. No series of `block` may be left out. */
    renew: (block: SeriesBlock, values: readonly number[], from: number) => {
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

const NEWLINE = 10
/** A value and the end of its line. */
const MAX_LINE_END = MAX_NUMBER_LENGTH + 1
/** Most bytes of one UTF-16 unit in UTF-8. */
const BYTES_PER_UNIT = 3

/** Lines have no known length before their end; `take` copies the bytes out. */
function createByteBuffer() {
  let buffer = Buffer.allocUnsafeSlow(32_768)
  let end = 0
  let source = 0
  const grow = (more: number) => {
    if (end + more <= buffer.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (end + more))
    buffer.copy(larger, 0, 0, end)
    buffer = larger
  }
  return {
    /** @returns bytes added */
    addText: (text: string) => {
      grow(text.length * BYTES_PER_UNIT)
      const count = buffer.write(text, end)
      end += count
      return count
    },
    /** Source of `addPart` until the next `take`; at most `most` bytes are added until then. */
    setSource: (bytes: Uint8Array, most: number) => {
      grow(most + bytes.length)
      source = end + most
      buffer.set(bytes, source)
    },
    /** The source lies in the same buffer: copying short parts between two buffers takes twice as long. */
    addPart: (from: number, to: number) => {
      buffer.copyWithin(end, source + from, source + to)
      end += to - from
    },
    /** With the end of the line. @returns bytes added */
    addValue: (value: number) => {
      grow(MAX_LINE_END)
      const start = end
      end = writeNumber(buffer, end, value)
      buffer[end] = NEWLINE
      end += 1
      return end - start
    },
    take: (): Buffer => {
      const bytes = Buffer.allocUnsafeSlow(end)
      buffer.copy(bytes, 0, 0, end)
      end = 0
      return bytes
    },
  }
}
