// A growing buffer in which lines are assembled. Their length is known only at the end; `take` copies the bytes out.
import { MAX_NUMBER_LENGTH, writeNumber } from './write-number.ts'

export type ByteBuffer = {
  /** @returns bytes added */
  readonly addText: (text: string) => number
  /** Sets the source of `addPart` until the next `take`; at most `most` bytes are added until then. */
  readonly setSource: (bytes: Uint8Array, most: number) => void
  /** Adds a part of the source. */
  readonly addPart: (from: number, to: number) => void
  /** Adds a value and the end of the line. @returns bytes added */
  readonly addValue: (value: number) => number
  /** All bytes added since the last `take`. */
  readonly take: () => Buffer
}

const NEWLINE = 10
/** Most bytes of a value and the end of its line. */
export const MAX_LINE_END = MAX_NUMBER_LENGTH + 1
/** Most bytes of one UTF-16 unit in UTF-8. */
const BYTES_PER_UNIT = 3

export function createByteBuffer(): ByteBuffer {
  let buffer = Buffer.allocUnsafeSlow(32_768)
  let end = 0
  let source = 0
  const grow = (more: number): void => {
    if (end + more <= buffer.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (end + more))
    buffer.copy(larger, 0, 0, end)
    buffer = larger
  }
  return {
    addText: (text) => {
      grow(text.length * BYTES_PER_UNIT)
      const count = buffer.write(text, end)
      end += count
      return count
    },
    setSource: (bytes, most) => {
      grow(most + bytes.length)
      source = end + most
      buffer.set(bytes, source)
    },
    // the source lies in the same buffer: copying short parts between two buffers takes twice as long
    addPart: (from, to) => {
      buffer.copyWithin(end, source + from, source + to)
      end += to - from
    },
    addValue: (value) => {
      grow(MAX_LINE_END)
      const start = end
      end = writeNumber(buffer, end, value)
      buffer[end] = NEWLINE
      end += 1
      return end - start
    },
    take: () => {
      const bytes = Buffer.allocUnsafeSlow(end)
      buffer.copy(bytes, 0, 0, end)
      end = 0
      return bytes
    },
  }
}
