import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { closeGracefully } from './close.ts'

/** Client sockets of every compute, to be counted and dropped together. */
export type Connections = {
  /** Counts the socket as a connection of the compute's server until it closes. */
  add(endpointId: string, socket: Socket): void
  /** Adds a client of the compute's pooler, which takes no connection of the server by itself. */
  addPooled(endpointId: string, socket: Socket): void
  /** Connections of the server itself. */
  count(endpointId: string): number
  /** Closes the connections of all clients of a compute, those of its pooler included. */
  drop(endpointId: string): void
}

export function createConnections(clock: Clock): Connections {
  const direct = createSockets()
  const pooled = createSockets()
  return {
    add: (endpointId, socket) => direct.add(endpointId, socket),
    addPooled: (endpointId, socket) => pooled.add(endpointId, socket),
    count: (endpointId) => direct.of(endpointId).size,
    drop: (endpointId) => {
      // not destroyed: the server's last message may still be on its way to the client
      for (const socket of direct.of(endpointId)) closeGracefully(socket, clock)
      for (const socket of pooled.of(endpointId)) closeGracefully(socket, clock)
    },
  }
}

type Sockets = {
  add(endpointId: string, socket: Socket): void
  of(endpointId: string): ReadonlySet<Socket>
}

const NO_SOCKETS: ReadonlySet<Socket> = new Set()

function createSockets(): Sockets {
  const sockets = new Map<string, Set<Socket>>()
  return {
    of: (endpointId) => sockets.get(endpointId) ?? NO_SOCKETS,
    add: (endpointId, socket) => {
      const ofCompute = sockets.get(endpointId) ?? new Set()
      sockets.set(endpointId, ofCompute.add(socket))
      socket.once('close', () => {
        ofCompute.delete(socket)
        if (ofCompute.size === 0 && sockets.get(endpointId) === ofCompute) sockets.delete(endpointId)
      })
    },
  }
}
