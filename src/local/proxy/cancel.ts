import { connect } from 'node:net'
import type { Clock } from '../clock.ts'

/** Bounds: servers asked because of one request, and at once because of all, and how long each may take, ms. */
const MOST_SERVERS = 256
const MOST_AT_ONCE = 512
const PATIENCE = 2000

/**
 * Passes a cancel request on to servers. Only the one that issued the key acts on it, the others ignore it; none is
 * woken. Nobody is told how it went, as with Postgres itself; what exceeds the bounds is dropped.
 */
export type ForwardCancel = (packet: Buffer, ports: readonly number[]) => void

export function createForwardCancel(clock: Clock): ForwardCancel {
  let asking = 0
  const ask = (packet: Buffer, port: number): void => {
    asking += 1
    const server = connect({ port, host: '127.0.0.1' })
    const giveUp = clock.after(PATIENCE, () => server.destroy())
    server.on('error', () => server.destroy())
    // not ended: PgBouncer forgets the request of a client that hangs up; whoever has acted on it hangs up itself
    server.once('connect', () => server.write(packet))
    server.once('close', () => {
      asking -= 1
      giveUp()
    })
    server.resume()
  }
  return (packet, ports) => {
    for (const port of ports.slice(0, Math.min(MOST_SERVERS, MOST_AT_ONCE - asking))) ask(packet, port)
  }
}
