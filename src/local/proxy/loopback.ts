/** The port of Postgres, which clients use that are told a host and nothing else. */
export const POSTGRES_PORT = 5432

/** Above 127.63.x.x: what other programs of a machine call their own lies below. */
const FIRST = 64
const ADDRESSES = (127 - FIRST) * 256 * 254

/** The loopback address a compute has for itself, always the same one: `127.64.0.1` to `127.126.255.254`. */
export function loopbackAddress(endpointId: string): string {
  const spread = Buffer.from(endpointId).reduce(
    (hash, byte) => Math.imul(hash ^ byte, 0x01_00_01_93) >>> 0,
    0x81_1c_9d_c5,
  )
  const number = spread % ADDRESSES
  const last = 1 + (number % 254)
  const upper = Math.floor(number / 254)
  return `127.${FIRST + Math.floor(upper / 256)}.${upper % 256}.${last}`
}
