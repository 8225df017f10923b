// Gzip of a body whose first part is compressed once and whose last part is new in every answer.
import { promisify } from 'node:util'
import { constants, crc32, createDeflateRaw, deflateRaw, type DeflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)

/** The first part of a compressed body: it ends at a byte, so that another part can follow. */
export type CompressedPrefix = {
  readonly bytes: Buffer
  readonly crc: number
  /** Before it was compressed. */
  readonly size: number
}

/** Compresses beside the event loop, a piece at a time: put together first, a large body would be in memory twice. */
export async function compressPrefix(parts: readonly Buffer[]): Promise<CompressedPrefix> {
  const compressing = createDeflateRaw({ finishFlush: constants.Z_SYNC_FLUSH })
  const [pieces, counted] = await Promise.all([Array.fromAsync(compressing), feed(parts, compressing)])
  return { bytes: Buffer.concat(pieces), ...counted }
}

/** Bytes of a piece. Doubled, one holds the event loop up for twice as long; halved, there are twice as many turns. */
const PIECE = 131_072

async function feed(
  parts: readonly Buffer[],
  compressing: DeflateRaw,
): Promise<{ readonly crc: number; readonly size: number }> {
  const room = Buffer.allocUnsafeSlow(PIECE)
  const written = promisify((piece: Buffer, done: (problem?: Error | null) => void) =>
    compressing.write(piece, done),
  )
  let [crc, size, filled] = [0, 0, 0]
  const write = async (): Promise<void> => {
    const piece = room.subarray(0, filled)
    crc = crc32(piece, crc)
    size += filled
    filled = 0
    // the room is used again once this has been read
    await written(piece)
  }
  for (const part of parts)
    for (let from = 0; from < part.length;) {
      const count = part.copy(room, filled, from)
      filled += count
      from += count
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other is the point
      if (filled === PIECE) await write()
    }
  await write()
  compressing.end()
  return { crc, size }
}

/**
 * One gzip member. Two members, one behind the other, would be simpler and are allowed, but curl stops after the first, with an error.
 * Source: RFC 1952, 2.3.
 */
export async function finishCompressed(
  { bytes, crc, size }: CompressedPrefix,
  last: Buffer,
): Promise<Buffer<ArrayBuffer>> {
  const end = await deflate(last)
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(last, crc), 0)
  trailer.writeUInt32LE((size + last.length) % 2 ** 32, 4)
  return Buffer.concat([HEADER, bytes, end, trailer])
}

/** Deflate, no flags, no time, no system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
