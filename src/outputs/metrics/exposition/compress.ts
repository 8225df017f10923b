// Gzip of a body whose first part is compressed once and whose last part is new in every scrape.
import { promisify } from 'node:util'
import { constants, crc32, createDeflateRaw, deflateRaw, type DeflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)

/** With the header of gzip; ends at a byte boundary, so that another part can follow. */
export type CompressedPrefix = Readonly<{
  bytes: Buffer
  crc: number
  size: number
}>

/** In the thread pool, piece by piece: a large body would otherwise be in memory twice. */
export async function compressPrefix(parts: readonly Buffer[]): Promise<CompressedPrefix> {
  const compressing = createDeflateRaw({ finishFlush: constants.Z_SYNC_FLUSH })
  const [pieces, counted] = await Promise.all([Array.fromAsync(compressing), feed(parts, compressing)])
  return { bytes: Buffer.concat([HEADER, ...pieces]), ...counted }
}

/** 128 KiB: copying them holds up the event loop for less than a tenth of a millisecond. */
const PIECE_SIZE = 131_072

async function feed(parts: readonly Buffer[], compressing: DeflateRaw) {
  const buffer = Buffer.allocUnsafeSlow(PIECE_SIZE)
  const written = promisify((piece: Buffer, done: (problem?: Error | null) => void) =>
    compressing.write(piece, done),
  )
  let [crc, size, filled] = [0, 0, 0]
  const write = async () => {
    const piece = buffer.subarray(0, filled)
    crc = crc32(piece, crc)
    size += filled
    filled = 0
    // the buffer is filled again: wait until it was read
    await written(piece)
  }
  for (const part of parts)
    for (let from = 0; from < part.length;) {
      const count = part.copy(buffer, filled, from)
      filled += count
      from += count
      // oxlint-disable-next-line no-await-in-loop -- one by one
      if (filled === PIECE_SIZE) await write()
    }
  await write()
  compressing.end()
  return { crc, size }
}

/**
 * A gzip member in two pieces, the first shared by all bodies with this prefix. Two members in a row would be simpler and are allowed
 * (RFC 1952, 2.3), but curl fails after the first.
 */
export async function finishCompressed(prefix: CompressedPrefix, last: Buffer): Promise<readonly Buffer[]> {
  const { bytes, crc, size } = prefix
  const end = await deflate(last)
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(last, crc), 0)
  trailer.writeUInt32LE((size + last.length) % 2 ** 32, 4)
  return [bytes, Buffer.concat([end, trailer])]
}

/** Deflate, no flags, no time, no system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
