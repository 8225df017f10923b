// Where lines are put together: how long they become is known only then, and bytes of the right length are a copy.
import { MAX_NUMBER_LENGTH, writeNumber } from './write-number.ts'

export type ByteBuffer = {
  /** Each `add` tells how many bytes it took. */
  readonly addText: (text: string) => number
  /** Has `bytes` ready, for the parts of it that come among what is added until it is taken, `most` bytes of all that. */
  readonly lay: (bytes: Uint8Array, most: number) => void
  /** The part of what lies ready. */
  readonly addPart: (from: number, to: number) => void
  /** With the end of the line. */
  readonly addValue: (value: number) => number
  /** All that was added since the last time. */
  readonly take: () => Buffer
}

const NEWLINE = 10
/** Bytes of a value and the end of its line, at most. */
export const MAX_LINE_END = MAX_NUMBER_LENGTH + 1
/** Of one character, at most. */
const BYTES = 3

export function createByteBuffer(): ByteBuffer {
  let room = Buffer.allocUnsafeSlow(32_768)
  let end = 0
  let laid = 0
  const grow = (more: number): void => {
    if (end + more <= room.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (end + more))
    room.copy(larger, 0, 0, end)
    room = larger
  }
  return {
    addText: (text) => {
      grow(text.length * BYTES)
      const count = room.write(text, end)
      end += count
      return count
    },
    lay: (bytes, most) => {
      grow(most + bytes.length)
      laid = end + most
      room.set(bytes, laid)
    },
    // within one buffer: from one to another takes twice as long for parts as short as these
    addPart: (from, to) => {
      room.copyWithin(end, laid + from, laid + to)
      end += to - from
    },
    addValue: (value) => {
      grow(MAX_LINE_END)
      const begun = end
      end = writeNumber(room, end, value)
      room[end] = NEWLINE
      end += 1
      return end - begun
    },
    take: () => {
      const bytes = Buffer.allocUnsafeSlow(end)
      room.copy(bytes, 0, 0, end)
      end = 0
      return bytes
    },
  }
}
