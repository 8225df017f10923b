import { connect } from 'node:net'
import type { Clock } from '../clock.ts'

/** Bounds: servers asked at once, and how long each may take, ms. */
const MOST_SERVERS = 256
const PATIENCE = 2000

/**
 * Passes a cancel request on to every running server. Only the one that issued the key acts on it, the others ignore
 * it; none is woken. Nobody is told how it went, as with Postgres itself.
 */
export function forwardCancel(packet: Buffer, ports: readonly number[], clock: Clock): void {
  for (const port of ports.slice(0, MOST_SERVERS)) {
    const server = connect({ port, host: '127.0.0.1' })
    const giveUp = clock.after(PATIENCE, () => server.destroy())
    server.on('error', () => server.destroy())
    server.once('connect', () => server.end(packet))
    server.once('close', giveUp)
    server.resume()
  }
}
