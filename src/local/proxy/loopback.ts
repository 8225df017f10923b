import { fnv1a } from '../control/fnv1a.ts'

export const POSTGRES_PORT = 5432

/** Second byte: other programs use addresses below 127.64. */
const FIRST = 64
const ADDRESSES = (127 - FIRST) * 256 * 254

/** The compute's address, by its id: `127.64.0.1` to `127.126.255.254`. */
export function loopbackAddress(endpointId: string): string {
  const number = fnv1a(endpointId) % ADDRESSES
  const last = 1 + (number % 254)
  const upper = Math.floor(number / 254)
  return `127.${FIRST + Math.floor(upper / 256)}.${upper % 256}.${last}`
}
