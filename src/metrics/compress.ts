// Gzip of a body whose first part is compressed once and whose last part is new in every answer.
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)

/** The first part of a compressed body: it ends at a byte, so that another part can follow. */
export type Begun = {
  readonly bytes: Buffer
  readonly crc: number
  /** Before it was compressed. */
  readonly size: number
}

/** Compresses beside the event loop. */
export async function begin(parts: readonly Buffer[]): Promise<Begun> {
  const whole = Buffer.concat(parts)
  const bytes = await deflate(whole, { finishFlush: constants.Z_SYNC_FLUSH })
  return { bytes, crc: crc32(whole), size: whole.length }
}

/**
 * One gzip member. Two members, one behind the other, would be simpler and are allowed, but curl stops after the first, with an error.
 * Source: RFC 1952, 2.3.
 */
export async function finish({ bytes, crc, size }: Begun, last: Buffer): Promise<Buffer<ArrayBuffer>> {
  const end = await deflate(last)
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(last, crc), 0)
  trailer.writeUInt32LE((size + last.length) % 2 ** 32, 4)
  return Buffer.concat([HEADER, bytes, end, trailer])
}

/** Deflate, no flags, no time, no system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
